internal import InklingKeys

/// How many names there are in the neighbourhood, roughly and bounded: the more there are, the more seldom each answers.
struct NameCensus: Sendable {
    /// Counting further would change nothing, since the interval between answers has an upper bound.
    static let limit = 1000
    /// Milliseconds; two of them are the window.
    private static let halfWindow: UInt64 = 60_000

    private var current: Set<Octets16> = []
    private var previous: Set<Octets16> = []
    private var start: Tick?

    /// The number of names heard in the last one to two minutes, at most 1,000.
    private(set) var count = 0

    /// The names that are counted.
    var names: [OpaqueServiceName] { current.union(previous).prefix(Self.limit).map(OpaqueServiceName.init) }

    mutating func note(_ name: OpaqueServiceName, at now: Tick) {
        pass(to: now)
        guard current.count < Self.limit, current.insert(name.octets).inserted else { return }
        if !previous.contains(name.octets) { count = min(count + 1, Self.limit) }
    }

    mutating func pass(to now: Tick) {
        guard let begun = start else { return start = now }
        let passed = now.milliseconds(since: begun)
        guard passed >= Self.halfWindow else { return }
        previous = passed < 2 * Self.halfWindow ? current : []
        current = []
        count = previous.count
        start = now
    }
}

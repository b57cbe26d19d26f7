internal import InklingKeys

/// A bounded estimate of the number of names nearby: the more there are, the less often each answers.
struct NameCensus: Sendable {
    /// The bound of the counter; beyond it the interval between answers no longer grows.
    static let limit = 1000
    /// Milliseconds of a minute; names count in the minute in which they are heard and in the next one.
    private static let minute: UInt64 = 60_000

    private var current: Set<Octets16> = []
    private var previous: Set<Octets16> = []
    private var start: Tick
    private var count = 0

    /// Creates a counter whose first minute begins now.
    init(at now: Tick) { start = now }

    /// The names that are counted.
    var names: [OpaqueServiceName] { current.union(previous).prefix(Self.limit).map(OpaqueServiceName.init) }

    mutating func note(_ name: OpaqueServiceName, at now: Tick) {
        pass(to: now)
        guard current.count < Self.limit, current.insert(name.octets).inserted else { return }
        if !previous.contains(name.octets) { count = min(count + 1, Self.limit) }
    }

    /// Returns the number of names heard in this minute and the one before, at most 1,000.
    mutating func count(at now: Tick) -> Int {
        pass(to: now)
        return count
    }

    private mutating func pass(to now: Tick) {
        let minutes = now.milliseconds(since: start) / Self.minute
        guard minutes > 0 else { return }
        previous = minutes == 1 ? current : []
        current = []
        count = previous.count
        start = start.advanced(byMilliseconds: minutes * Self.minute)
    }
}

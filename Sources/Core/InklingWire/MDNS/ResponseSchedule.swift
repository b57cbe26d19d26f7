internal import InklingKeys

/// When responses leave: the multicast ones no more often than the number of names around permits, and a few by unicast.
struct ResponseSchedule: Sendable {
    /// A response of one instance on one path.
    struct Key: Hashable, Comparable {
        let path: MDNSPath
        let name: OpaqueServiceName

        static func < (left: Self, right: Self) -> Bool {
            (left.path, left.name.octets) < (right.path, right.name.octets)
        }
    }

    /// A reply to one querier.
    struct Reply: Hashable {
        let key: Key
        let destination: Endpoint
        let purpose: ServicePacket.Purpose
        let due: Tick
    }

    /// Milliseconds between two responses on one path: at least; at most; and to a probe.
    static let shortest: UInt64 = 1000, longest: UInt64 = 10_000, probed: UInt64 = 250
    /// Milliseconds of the interval for each name in the neighbourhood.
    static let perName: UInt64 = 10

    private var last: [Key: Tick] = [:]
    private var due: [Key: Tick] = [:]
    private var replies: [Reply] = []
    private var budget = FirstMessageBudget(burst: 20, interval: .milliseconds(50))

    /// When the instance was shown on the path the last time.
    func lastShown(_ key: Key) -> Tick? { last[key] }

    /// When something is due next.
    var next: Tick? { [due.values.min(), replies.map(\.due).min()].compactMap(\.self).min() }

    /// Notes a question that is answered by multicast, after a drawn delay in milliseconds; a probe is not kept waiting.
    mutating func ask(_ key: Key, at now: Tick, delay: UInt64, nameCount: Int, isProbe: Bool) {
        let crowded = UInt64(nameCount) * Self.perName
        let interval = isProbe ? Self.probed : min(max(Self.shortest, crowded), Self.longest)
        let earliest = last[key].map { $0.advanced(byMilliseconds: interval) } ?? now
        let wanted = max(earliest, isProbe ? now : now.advanced(byMilliseconds: delay))
        due[key] = min(due[key] ?? wanted, wanted)
    }

    /// Notes a question to be answered to one querier; beyond the budget, which also bounds how many wait, it stays
    /// without answer.
    mutating func reply(
        _ key: Key, to destination: Endpoint, for purpose: ServicePacket.Purpose, at now: Tick, delay: UInt64
    ) {
        guard budget.spend(at: now.milliseconds) else { return }
        replies.append(
            Reply(key: key, destination: destination, purpose: purpose, due: now.advanced(byMilliseconds: delay)))
    }

    /// The response leaves now, whatever was waiting.
    mutating func sent(_ key: Key, at now: Tick) {
        last[key] = now
        due[key] = nil
    }

    /// Something else says what the response would say.
    mutating func cancel(_ key: Key) { due[key] = nil }

    /// Takes the multicast responses whose time has come, ascending.
    mutating func takeDue(at now: Tick) -> [Key] {
        let keys = due.filter { $0.value <= now }.keys.sorted()
        for key in keys { due[key] = nil }
        return keys
    }

    /// Takes the replies whose time has come, in the order of their questions.
    mutating func takeReplies(at now: Tick) -> [Reply] {
        let taken = replies.filter { $0.due <= now }
        replies.removeAll { $0.due <= now }
        return taken
    }

    /// Forgets what belongs to other paths and instances than these.
    mutating func keep(_ isKept: (Key) -> Bool) {
        last = last.filter { isKept($0.key) }
        due = due.filter { isKept($0.key) }
        replies.removeAll { !isKept($0.key) }
    }
}

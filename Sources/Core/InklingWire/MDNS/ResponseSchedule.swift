internal import InklingKeys

/// The schedule of responses: multicast ones as often as the number of names nearby permits, and a few by unicast.
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

    /// The milliseconds between two responses on one path: at least, at most, and to a probe.
    static let shortest: UInt64 = 1000, longest: UInt64 = 10_000, probed: UInt64 = 250
    /// The milliseconds that each name in the neighbourhood adds to the interval.
    static let perName: UInt64 = 10

    private var last: [Key: Tick] = [:]
    private var due: [Key: Tick] = [:]
    private var replies: [Reply] = []
    private var budget = FirstMessageBudget(burst: 20, interval: .milliseconds(50))

    /// Returns when the instance was last shown on the path.
    func lastShown(_ key: Key) -> Tick? { last[key] }

    /// The moment when something is due next.
    var next: Tick? { [due.values.min(), replies.map(\.due).min()].compactMap(\.self).min() }

    /// Records a question for an answer by multicast, after a drawn delay in milliseconds; a probe does not wait.
    mutating func ask(_ key: Key, at now: Tick, delay: UInt64, nameCount: Int, isProbe: Bool) {
        let crowded = UInt64(nameCount) * Self.perName
        let interval = isProbe ? Self.probed : min(max(Self.shortest, crowded), Self.longest)
        let earliest = last[key].map { $0.advanced(byMilliseconds: interval) } ?? now
        let wanted = max(earliest, isProbe ? now : now.advanced(byMilliseconds: delay))
        due[key] = min(due[key] ?? wanted, wanted)
    }

    /// Records a question of one querier; beyond the budget, which also bounds the number that wait, it stays
    /// unanswered.
    mutating func reply(
        _ key: Key, to destination: Endpoint, for purpose: ServicePacket.Purpose, at now: Tick, delay: UInt64
    ) {
        guard budget.spend(at: now.milliseconds) else { return }
        replies.append(
            Reply(key: key, destination: destination, purpose: purpose, due: now.advanced(byMilliseconds: delay)))
    }

    /// Records that the response is sent now, and drops a waiting one.
    mutating func sent(_ key: Key, at now: Tick) {
        last[key] = now
        due[key] = nil
    }

    /// Drops a response that another packet covers.
    mutating func cancel(_ key: Key) { due[key] = nil }

    /// Removes and returns the multicast responses that are due, ascending.
    mutating func takeDue(at now: Tick) -> [Key] {
        let keys = due.filter { $0.value <= now }.keys.sorted()
        for key in keys { due[key] = nil }
        return keys
    }

    /// Removes and returns the replies that are due, in the order of their questions.
    mutating func takeReplies(at now: Tick) -> [Reply] {
        let taken = replies.filter { $0.due <= now }
        replies.removeAll { $0.due <= now }
        return taken
    }

    /// Drops everything of paths and instances other than these.
    mutating func keep(_ isKept: (Key) -> Bool) {
        last = last.filter { isKept($0.key) }
        due = due.filter { isKept($0.key) }
        replies.removeAll { !isKept($0.key) }
    }
}

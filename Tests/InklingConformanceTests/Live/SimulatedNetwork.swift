import InklingConformance
import InklingNode
import InklingWire

/// A network with one node, and names of others, in simulated time: `watch` advances the clock and never waits.
final class SimulatedNetwork: LiveNetwork {
    /// The behaviour of the node; by default it is correct.
    struct Behaviour {
        var isVisible = true
        /// Whether it shows new identifiers after the boundary.
        var rotates = true
        /// The time after which a connection is reset, in milliseconds; nil for never.
        var silence: Int64? = 5_000
        /// Whether connections end before the boundary.
        var endsLinks = true
        /// Names of other nodes, from other addresses.
        var others: [String] = []
        /// The addresses from which each of the node's packets is received.
        var sources = [LiveFixtures.source]
        /// The addresses from which each question of the run is received.
        var echoes: [Endpoint.Address] = []
    }

    private struct Connection {
        let beginsAt: Int64
        let isMade: Bool
        let endsAt: Int64?
    }

    private static let oldPort: UInt16 = 41_969
    private static let newPort: UInt16 = 42_000
    /// The times at which the node withdraws its records and shows new ones.
    private static let leavesAt = LiveFixtures.boundary - 900
    private static let returnsAt = LiveFixtures.boundary + 3_000

    private(set) var now: Int64
    private(set) var packets: [ObservedPacket] = []
    let ownAddresses: OwnAddresses
    private let behaviour: Behaviour
    private var coming: [ObservedPacket] = []
    private var connections: [Int: Connection] = [:]
    private var count = 0

    /// Creates a network whose clock is `before` milliseconds before the boundary.
    init(_ behaviour: Behaviour = Behaviour(), before: Int64 = 60_000, ownAddresses: OwnAddresses = []) {
        self.behaviour = behaviour
        self.ownAddresses = ownAddresses
        now = LiveFixtures.boundary - before
        guard behaviour.isVisible, behaviour.rotates else { return }
        send(LiveFixtures.records(timeToLive: 0), at: Self.leavesAt)
        send(
            LiveFixtures.records(LiveFixtures.newName, host: LiveFixtures.newHost, port: Self.newPort),
            at: Self.returnsAt)
    }

    private func send(_ records: [DNSMessage.Record], at moment: Int64) {
        for source in behaviour.sources { coming.append(LiveFixtures.response(records, at: moment, from: source)) }
    }

    /// The name, the host and the port that the node shows now.
    private var shown: (name: String, host: String, port: UInt16)? {
        guard behaviour.isVisible else { return nil }
        if !behaviour.rotates || now < Self.leavesAt { return (LiveFixtures.name, LiveFixtures.host, Self.oldPort) }
        return now < Self.returnsAt ? nil : (LiveFixtures.newName, LiveFixtures.newHost, Self.newPort)
    }

    func ask(_ questions: [DNSMessage.Question]) {
        for echo in behaviour.echoes {
            coming.append(
                ObservedPacket(at: now + 1, source: echo, DNSMessage(isResponse: false, questions: questions)))
        }
        for (number, other) in behaviour.others.enumerated() {
            coming.append(
                LiveFixtures.response(
                    LiveFixtures.records(other, host: String(other.reversed())), at: now + 20,
                    from: .v4(0x0a4d_0100 + UInt32(number))))
        }
        guard let shown else { return }
        let names = [
            ServiceNames.type, ServiceNames.instance(shown.name), DNSName([shown.host, "local"]),
        ]
        guard questions.contains(where: { names.contains($0.name) }) else { return }
        send(LiveFixtures.records(shown.name, host: shown.host, port: shown.port), at: now + 20)
    }

    func connect(to endpoint: Endpoint, sending bytes: [UInt8], endingStream: Bool) -> Int {
        count += 1
        let isOpen = endpoint.port == shown?.port
        var end = isOpen ? behaviour.silence.map { now + $0 } : now
        if isOpen, behaviour.endsLinks, now < Self.leavesAt { end = min(end ?? .max, Self.leavesAt) }
        connections[count] = Connection(beginsAt: now, isMade: isOpen, endsAt: end)
        return count
    }

    func connection(_ number: Int) -> LiveConnection? {
        connections[number].map { connection in
            let end = connection.endsAt.flatMap { $0 <= now ? $0 : nil }
            let how: ConnectionOutcome.End = connection.isMade ? end == nil ? .open : .reset : .refused(code: 111)
            return LiveConnection(
                isMade: connection.isMade, endedAt: end,
                outcome: ConnectionOutcome(how, after: (end ?? now) - connection.beginsAt))
        }
    }

    func send(_ bytes: [UInt8], on number: Int) {}

    func take(from number: Int) -> [UInt8] { [] }

    func drop(_ number: Int) { connections[number] = nil }

    func watch(milliseconds: Int64, until isDone: () -> Bool) {
        let end = now + max(0, milliseconds)
        while !isDone(), now < end {
            now = min(end, now + 20)
            packets += coming.filter { $0.at <= now }.sorted { $0.at < $1.at }
            coming.removeAll { $0.at <= now }
        }
    }
}

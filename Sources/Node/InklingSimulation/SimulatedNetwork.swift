internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingWire
internal import Synchronization

/// The network of simulated hosts: one multicast domain, links between any two hosts, and a capture of all traffic.
public final class SimulatedNetwork: Sendable {
    struct State {
        var hosts: [Host] = []
        var conditions = NetworkConditions()
        var generator: SimulationGenerator
        /// Pairs of hosts that cannot reach each other, the smaller number first.
        var cuts: Set<Cut> = []
        var log: [NetworkSighting] = []
        var sessions: [Int: DiscoveryState] = [:]
        /// The numbers of the open sessions in the order in which they were opened.
        var sessionOrder: [Int] = []
        var connections: [Int: Connection] = [:]
        var count = 0
        /// The host of every address ever given, in the order of the addresses.
        var owners: [Int] = []
    }

    struct Host {
        let clock: SimulatedClock
        var address: Endpoint.Address
        var isConnected = true
        var listeners: [UInt16: Listener] = [:]
        var discoveryError: DiscoveryError?
        var listenError: LinkError?
        /// The limits of its listeners on links of strangers.
        var limits = UnauthenticatedLinks<Int, Endpoint.Address>.Limits()
    }

    struct Cut: Hashable {
        let low: Int, high: Int

        init(_ one: Int, _ other: Int) {
            low = min(one, other)
            high = max(one, other)
        }
    }

    /// The base of the addresses; the first one is one more.
    static let addressBase: UInt32 = 0x0a00_0000
    /// The maximum number of sightings kept; the oldest are dropped first.
    public static let logLimit = 500_000

    let timeline: Timeline
    let state: Mutex<State>

    init(seed: UInt64, timeline: Timeline) {
        self.timeline = timeline
        state = Mutex(State(generator: SimulationGenerator(seed: seed ^ 0x6e65_7477_6f72_6b00)))
    }

    // MARK: Control by a test

    /// The conditions of the network; a change affects everything that is sent afterwards.
    public var conditions: NetworkConditions {
        get { state.withLock { $0.conditions } }
        set { state.withLock { $0.conditions = newValue } }
    }

    /// Separates hosts of different groups. Packets between them are lost, and a link that has lost one breaks after 20
    /// seconds.
    public func partition(_ groups: [[SimulatedHost]]) {
        state.withLock { state in
            state.cuts = []
            for (index, group) in groups.enumerated() {
                for other in groups[(index + 1)...].joined() {
                    for host in group { state.cuts.insert(Cut(host.number, other.number)) }
                }
            }
        }
    }

    /// Ends the partition, so that all hosts can reach each other again.
    public func heal() { state.withLock { $0.cuts = [] } }

    /// All traffic that an observer of the network could have seen, in order.
    public var sightings: [NetworkSighting] { state.withLock { $0.log } }

    /// Returns the traffic sent from the current address of a host.
    public func sightings(from host: SimulatedHost) -> [NetworkSighting] {
        state.withLock { state in
            let address = state.hosts[host.number].address
            return state.log.filter { $0.source == address }
        }
    }

    /// The number of open links.
    public var linkCount: Int { state.withLock { $0.connections.count } }

    /// The number of open discovery sessions.
    public var discoverySessionCount: Int { state.withLock { $0.sessions.count } }

    // MARK: Hosts

    func add(_ host: Int, clock: SimulatedClock) {
        state.withLock { state in
            let address = state.nextAddress(of: host)
            state.hosts.append(Host(clock: clock, address: address))
        }
    }

    func address(of host: Int) -> Endpoint.Address { state.withLock { $0.hosts[host].address } }

    func isConnected(_ host: Int) -> Bool { state.withLock { $0.hosts[host].isConnected } }

    func changeAddress(of host: Int) {
        state.withLock { $0.hosts[host].address = $0.nextAddress(of: host) }
        addressesChanged(on: host)
        // Links to the old address get no answer.
        breakLinks(of: host, after: Self.retransmission)
    }

    func setConnected(_ host: Int, _ isConnected: Bool) {
        state.withLock { $0.hosts[host].isConnected = isConnected }
    }

    func resetLinks(of host: Int) { breakLinks(of: host, after: 0) }

    /// The time for which a sender retransmits before the link breaks, in milliseconds.
    static let retransmission: UInt64 = 20_000

    private func breakLinks(of host: Int, after delay: UInt64) {
        let links = state.withLock { state in
            state.connections.filter { $0.value.ends.contains { $0.host == host } }.keys.sorted()
        }
        for link in links { timeline.schedule(after: delay) { [self] in sever(link) } }
    }

    /// Runs an action on a host after `delay` milliseconds, or, if the host is asleep then, when it wakes.
    func deliver(to host: Int, after delay: UInt64, _ action: @escaping @Sendable () -> Void) {
        let clock = state.withLock { $0.hosts[host].clock }
        clock.schedule(at: clock.read().tick.advanced(byMilliseconds: delay), action)
    }
}

extension SimulatedNetwork.State {
    mutating func nextAddress(of host: Int) -> Endpoint.Address {
        owners.append(host)
        return .v4(SimulatedNetwork.addressBase + UInt32(owners.count))
    }

    mutating func nextNumber() -> Int {
        count += 1
        return count
    }

    func reaches(_ one: Int, _ other: Int) -> Bool {
        hosts[one].isConnected && hosts[other].isConnected && !cuts.contains(.init(one, other))
    }

    mutating func delay() -> UInt64 { UInt64.random(in: conditions.delay, using: &generator) }

    mutating func note(_ kind: NetworkSighting.Kind, from host: Int, at time: UInt64) {
        guard hosts[host].isConnected else { return }
        if log.count >= SimulatedNetwork.logLimit { log.removeFirst(SimulatedNetwork.logLimit / 10) }
        log.append(NetworkSighting(time: time, source: hosts[host].address, kind: kind))
    }
}

public import InklingNode
public import InklingVault
public import InklingWire
internal import Synchronization

/// A simulated host, which provides the ports for a node.
public final class SimulatedHost: Sendable {
    /// The clocks of the host.
    public let clock: SimulatedClock
    /// The evidence for the clock; initially that of a synchronised clock.
    public let timeEvidence = FixedTimeEvidence()
    /// The network monitor of the host.
    public let monitor: SimulatedNetworkMonitor
    /// The host's multicast DNS.
    public let discovery: SimulatedDiscovery
    /// The host's links.
    public let links: SimulatedLinks
    /// The host's Bluetooth, part of its ports only if the host was added with a radio.
    public let radio: SimulatedRadio
    /// The host's disk for files.
    public let disk = SimulatedFileDisk()
    private let hasRadio: Bool
    let network: SimulatedNetwork
    private let generator: SimulationGenerator
    let number: Int

    init(
        number: Int, seed: UInt64, clock: SimulatedClock, network: SimulatedNetwork, air: SimulatedAir, hasRadio: Bool,
        profile: ApplicationProfile
    ) {
        self.number = number
        self.clock = clock
        self.hasRadio = hasRadio
        radio = SimulatedRadio(station: air.addStation(clock: clock, profile: profile), air: air)
        self.network = network
        network.add(number, clock: clock)
        monitor = SimulatedNetworkMonitor(host: number, network: network)
        discovery = SimulatedDiscovery(host: number, network: network, service: profile.serviceType)
        links = SimulatedLinks(host: number, network: network)
        var mixer = SimulationGenerator(seed: seed &+ UInt64(number) &* 0x1000_0001)
        generator = SimulationGenerator(seed: mixer.next())
    }

    /// The ports for the first run of a node on this host.
    public var ports: NodePorts { ports(run: 0) }

    /// Returns the ports for a node on this host. Use a different number for every run, so that randomness does not
    /// repeat.
    public func ports(run: UInt64) -> NodePorts {
        var randomness = generator
        for _ in 0..<run { randomness = SimulationGenerator(seed: randomness.next()) }
        return NodePorts(
            clock: clock, timeEvidence: timeEvidence, discovery: discovery, links: links, network: monitor,
            bluetooth: hasRadio ? radio : nil, files: disk, randomness: randomness)
    }

    /// The current address of the host.
    public var address: Endpoint.Address { network.address(of: number) }

    /// Changes the host's address, as when the network changes: every link breaks, and the monitor reports it.
    public func changeAddress() {
        network.changeAddress(of: number)
        monitor.report()
    }

    /// Disconnects the host from the network, which the monitor does not report, or connects it again.
    public func setConnected(_ isConnected: Bool) { network.setConnected(number, isConnected) }

    /// Breaks every link of the host, like a router that loses its state.
    public func resetLinks() { network.resetLinks(of: number) }
}

/// Time evidence set by a test.
public final class FixedTimeEvidence: TimeEvidence {
    /// Evidence of a clock with a maximum error of 1 ms according to the kernel.
    public static let synchronised = ClockEvidence(kernelMaximumError: 1000, batteryClock: nil)
    /// No evidence that the clock is right.
    public static let none = ClockEvidence(kernelMaximumError: nil, batteryClock: nil)

    private let current: Mutex<ClockEvidence>

    /// Creates evidence that stays the same until `set` is called.
    public init(_ evidence: ClockEvidence = FixedTimeEvidence.synchronised) { current = Mutex(evidence) }

    public func evidence() -> ClockEvidence { current.withLock { $0 } }

    /// Replaces the evidence.
    public func set(_ evidence: ClockEvidence) { current.withLock { $0 = evidence } }
}

/// A network monitor that reports changes on request.
public final class SimulatedNetworkMonitor: NetworkMonitor {
    private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])
    private let host: Int
    private let network: SimulatedNetwork

    init(host: Int, network: SimulatedNetwork) {
        self.host = host
        self.network = network
    }

    public func ownAddresses() -> [Endpoint.Address] {
        network.isConnected(host) ? [network.address(of: host)] : []
    }

    public func callable(_ address: TransportOffer.Address) -> [Endpoint] {
        (try? address.callable(through: SimulatedNetwork.interface(publishing: []))).map { [$0] } ?? []
    }

    public func isOnLink(_ address: Endpoint.Address) -> Bool {
        (try? SimulatedNetwork.interface(publishing: []).reachable(address)) != nil
    }

    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        listeners.withLock { $0.append(continuation) }
        return stream
    }

    /// Reports a change to every stream that `changes` has returned.
    public func report() { for listener in listeners.withLock({ $0 }) { listener.yield() } }
}

/// A keeper that saves a node's contents in memory, and can be made to fail or to wait.
public actor MemoryKeeper: ContentsKeeper {
    /// The contents last saved, for restarting a node.
    public private(set) var contents: VaultContents
    /// The number of successful saves.
    public private(set) var saves = 0
    /// The number of failed saves.
    public private(set) var failures = 0
    private var fault: VaultError.Fault?
    private var isHeld = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a keeper that holds these contents.
    public init(_ contents: VaultContents) { self.contents = contents }

    /// Makes `save` fail with this fault from now on; nil makes it succeed again.
    public func fail(with fault: VaultError.Fault?) { self.fault = fault }

    /// Makes `save` wait from now on, until `release`.
    public func hold() { isHeld = true }

    /// Lets the waiting saves continue.
    public func release() {
        isHeld = false
        for one in waiting { one.resume() }
        waiting = []
    }

    public func save(_ contents: VaultContents) async throws(VaultError) {
        if isHeld { await withCheckedContinuation { waiting.append($0) } }
        if let fault {
            failures += 1
            throw VaultError(fault, "memory")
        }
        self.contents = contents
        saves += 1
    }
}

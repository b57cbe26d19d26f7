public import InklingNode
internal import Synchronization

/// A host of a simulation, with the ports that a node needs.
public final class SimulatedHost: Sendable {
    /// The clocks of the host.
    public let clock: SimulatedClock
    /// The evidence for the clock.
    public let timeEvidence = FixedTimeEvidence()
    /// The monitor of its network.
    public let monitor = SimulatedNetworkMonitor()
    /// Multicast DNS.
    public let discovery: SimulatedDiscovery
    /// Links.
    public let links: SimulatedLinks
    private let network: SimulatedNetwork
    private let generator: SimulationGenerator
    let number: Int

    init(number: Int, seed: UInt64, clock: SimulatedClock, network: SimulatedNetwork) {
        self.number = number
        self.clock = clock
        self.network = network
        network.add(number, clock: clock)
        discovery = SimulatedDiscovery(host: number, network: network)
        links = SimulatedLinks(host: number, network: network)
        var mixer = SimulationGenerator(seed: seed &+ UInt64(number) &* 0x1000_0001)
        generator = SimulationGenerator(seed: mixer.next())
    }

    /// The ports of a node on this host.
    public var ports: NodePorts { ports(run: 0) }

    /// Returns the ports of a node on this host; use another number for every start, so that randomness does not repeat.
    public func ports(run: UInt64) -> NodePorts {
        var randomness = generator
        for _ in 0..<run { randomness = SimulationGenerator(seed: randomness.next()) }
        return NodePorts(
            clock: clock, timeEvidence: timeEvidence, discovery: discovery, links: links, network: monitor,
            randomness: randomness)
    }

    /// The current address.
    public var address: Endpoint.Address { network.address(of: number) }

    /// Gives the host another address, as another network does: every link breaks, and the monitor reports it.
    public func changeAddress() {
        network.changeAddress(of: number)
        monitor.report()
    }

    /// Takes the host off the network without notice, or brings it back.
    public func setConnected(_ isConnected: Bool) { network.setConnected(number, isConnected) }

    /// Resets every link of the host, as a router does that lost its state.
    public func resetLinks() { network.resetLinks(of: number) }
}

/// Evidence for a simulated clock that the test sets.
public final class FixedTimeEvidence: TimeEvidence {
    /// The kernel reports that a time server keeps the clock right to a millisecond.
    public static let synchronised = ClockEvidence(kernelMaximumError: 1000, batteryClock: nil)
    /// There is no evidence for the clock.
    public static let none = ClockEvidence(kernelMaximumError: nil, batteryClock: nil)

    private let current: Mutex<ClockEvidence>

    /// Creates evidence that lasts until it is changed.
    public init(_ evidence: ClockEvidence = FixedTimeEvidence.synchronised) { current = Mutex(evidence) }

    public func evidence() -> ClockEvidence { current.withLock { $0 } }

    /// Sets the evidence.
    public func set(_ evidence: ClockEvidence) { current.withLock { $0 = evidence } }
}

/// A network monitor that reports changes on request.
public final class SimulatedNetworkMonitor: NetworkMonitor {
    private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        listeners.withLock { $0.append(continuation) }
        return stream
    }

    /// Reports a change.
    public func report() { for listener in listeners.withLock({ $0 }) { listener.yield() } }
}

/// Keeps a node's contents in memory, and can be made to fail.
public actor MemoryKeeper: ContentsKeeper {
    /// The contents that were saved last; start a node again with them.
    public private(set) var contents: VaultContents
    /// The number of successful saves.
    public private(set) var saves = 0
    /// The number of failed saves.
    public private(set) var failures = 0
    private var fault: VaultError.Fault?

    /// Creates a keeper that holds these contents.
    public init(_ contents: VaultContents) { self.contents = contents }

    /// Makes every further save fail with this error; nil ends that.
    public func fail(with fault: VaultError.Fault?) { self.fault = fault }

    public func save(_ contents: VaultContents) throws(VaultError) {
        if let fault {
            failures += 1
            throw VaultError(fault, "memory")
        }
        self.contents = contents
        saves += 1
    }
}

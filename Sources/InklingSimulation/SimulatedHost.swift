public import InklingNode
internal import Synchronization

/// One machine of a simulation, with everything that a node on it needs.
public final class SimulatedHost: Sendable {
    /// The machine's clocks.
    public let clock: SimulatedClock
    /// What speaks for them.
    public let timeEvidence = FixedTimeEvidence()
    /// Its changes of addresses.
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

    /// The ports of a node on this machine.
    public var ports: NodePorts { ports(run: 0) }

    /// The ports of a node on this machine; with another number for every start, so that randomness does not repeat.
    public func ports(run: UInt64) -> NodePorts {
        var randomness = generator
        for _ in 0..<run { randomness = SimulationGenerator(seed: randomness.next()) }
        return NodePorts(
            clock: clock, timeEvidence: timeEvidence, discovery: discovery, links: links, network: monitor,
            randomness: randomness)
    }

    /// The address that others reach it at now.
    public var address: Endpoint.Address { network.address(of: number) }

    /// Gives the machine another address, as another network does: every link breaks, and the monitor says so.
    public func changeAddress() {
        network.changeAddress(of: number)
        monitor.report()
    }

    /// Takes the machine off the network without a word, or brings it back.
    public func setConnected(_ isConnected: Bool) { network.setConnected(number, isConnected) }

    /// Resets every link of the machine, as a router does that forgot them.
    public func resetLinks() { network.resetLinks(of: number) }
}

/// What speaks for a simulated clock: whatever a test says.
public final class FixedTimeEvidence: TimeEvidence {
    /// The kernel says that a time server keeps the clock right to a millisecond.
    public static let synchronised = ClockEvidence(kernelMaximumError: 1000, batteryClock: nil)
    /// Nothing speaks for the clock.
    public static let none = ClockEvidence(kernelMaximumError: nil, batteryClock: nil)

    private let current: Mutex<ClockEvidence>

    /// Evidence that lasts until it is changed.
    public init(_ evidence: ClockEvidence = FixedTimeEvidence.synchronised) { current = Mutex(evidence) }

    public func evidence() -> ClockEvidence { current.withLock { $0 } }

    /// Changes what speaks for the clock.
    public func set(_ evidence: ClockEvidence) { current.withLock { $0 = evidence } }
}

/// Tells of changes of the network when a test says that there was one.
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

/// Keeps a node's contents in memory, and fails when a test wants it to.
public actor MemoryKeeper: ContentsKeeper {
    /// What was saved last; a node that starts again begins with it.
    public private(set) var contents: VaultContents
    /// How often something was saved.
    public private(set) var saves = 0
    /// How often saving failed.
    public private(set) var failures = 0
    private var fault: VaultError.Fault?

    /// A keeper that holds these contents.
    public init(_ contents: VaultContents) { self.contents = contents }

    /// From now on every save fails in this way, or none with nil.
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

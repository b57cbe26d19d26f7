internal import InklingEngine
internal import InklingKeys
public import InklingNode
internal import InklingSession

extension NodePorts {
    /// Creates the ports of a Linux machine: its clocks, multicast DNS, TCP links, and changes of its network.
    ///
    /// Without the package trait `Node` only the clocks work: discovery throws `DiscoveryError.noNetwork`, and links
    /// throw `LinkError.closed`.
    ///
    /// - Parameter clock: the clock that the vault belongs to, from its header.
    /// - Returns: ports for one node.
    public static func linux(clock: VaultClock = .real) -> NodePorts {
        #if Node
            NodePorts(
                clock: SystemClock(clock), timeEvidence: SystemTimeEvidence(), discovery: MulticastDiscovery(),
                links: TCPTransport(), network: NetlinkMonitor())
        #else
            NodePorts(
                clock: SystemClock(clock), timeEvidence: SystemTimeEvidence(), discovery: NoNetwork(),
                links: NoNetwork(), network: NoNetwork())
        #endif
    }
}

#if !Node
    /// Takes the place of the network in a build without the trait Node.
    private struct NoNetwork: ServiceDiscovery, LinkTransport, NetworkMonitor {
        func open(
            _ publication: Publication, recognising names: KnownNames
        ) async throws(DiscoveryError) -> any DiscoverySession { throw .noNetwork }
        func heardNames() async -> [OpaqueServiceName] { [] }
        func listen() async throws(LinkError) -> any LinkListener { throw .closed }
        func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
            throw .closed
        }
        func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    }
#endif

internal import InklingEngine
internal import InklingKeys
public import InklingNode
public import InklingVault
public import InklingWire

extension NodePorts {
    /// Creates the ports of a Linux machine: its clocks, multicast DNS, TCP links, network changes, logind's
    /// announcements of sleep, and Bluetooth if there is a radio.
    ///
    /// Without the package trait `Node` only the clocks work: discovery throws `DiscoveryError.noNetwork`, and links
    /// throw `LinkError.closed`.
    ///
    /// - Parameters:
    ///   - clock: the clock that the vault belongs to, from its header.
    ///   - bluetooth: the radio, such as `LinuxBluetooth`, with the same clock and profile; `nil` for none.
    ///   - profile: the profile of the application.
    ///   - messages: the store of messages, such as `SQLiteMessageStore`; by default messages end with the process.
    /// - Returns: ports for one node.
    public static func linux(
        clock: VaultClock = .real, bluetooth: (any BluetoothRadio)? = nil, profile: ApplicationProfile = .inkling,
        messages: any MessageStore = MemoryMessageStore()
    ) -> NodePorts {
        #if Node
            NodePorts(
                clock: SystemClock(clock), timeEvidence: SystemTimeEvidence(),
                discovery: MulticastDiscovery(service: profile.serviceType), links: TCPTransport(),
                network: NetlinkMonitor(), bluetooth: bluetooth, sleep: LogindSleep(), messages: messages)
        #else
            NodePorts(
                clock: SystemClock(clock), timeEvidence: SystemTimeEvidence(), discovery: NoNetwork(),
                links: NoNetwork(), network: NoNetwork(), bluetooth: bluetooth, messages: messages)
        #endif
    }
}

#if !Node
    /// A substitute for the network in a build without the trait `Node`.
    private struct NoNetwork: ServiceDiscovery, LinkTransport, NetworkMonitor {
        func open(
            _ publication: Publication, recognising names: KnownNames
        ) async throws(DiscoveryError) -> any DiscoverySession { throw .noNetwork }
        func heardNames() async -> [OpaqueServiceName] { [] }
        func listen() async throws(LinkError) -> any LinkListener { throw .closed }
        func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
            throw .closed
        }
        func connectOnLink(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
            throw .closed
        }
        func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
        func ownAddresses() -> [Endpoint.Address] { [] }
        func callable(_ address: TransportOffer.Address) -> [Endpoint] { [] }
        func isOnLink(_ address: Endpoint.Address) -> Bool { false }
    }
#endif

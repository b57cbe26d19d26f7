internal import InklingEngine
internal import InklingKeys

/// The interfaces through which a node uses the system and the network, apart from the vault.
public struct NodePorts: Sendable {
    /// Monotonic and protocol time.
    public var clock: any NodeClock
    /// The evidence that the clock is right.
    public var timeEvidence: any TimeEvidence
    /// Multicast DNS.
    public var discovery: any ServiceDiscovery
    /// Links to other nodes over TCP.
    public var links: any LinkTransport
    /// Reports of changed addresses and interfaces.
    public var network: any NetworkMonitor
    /// Bluetooth; nil for a node without a radio.
    public var bluetooth: (any BluetoothRadio)?
    /// Sources of sightings other than this machine's own Bluetooth.
    public var antennas: [any Antenna] = []
    /// Announcements of sleep; nil where the system makes none.
    public var sleep: (any SleepMonitor)?
    /// Queued and received messages.
    public var messages: any MessageStore
    /// The storage for files that are sent and received.
    public var files: any FileStorage
    /// Randomness for keys, delays and quiet periods.
    public var randomness: any RandomNumberGenerator & Sendable

    /// Creates a set of ports. By default messages end with the process.
    public init(
        clock: any NodeClock, timeEvidence: any TimeEvidence, discovery: any ServiceDiscovery,
        links: any LinkTransport, network: any NetworkMonitor, bluetooth: (any BluetoothRadio)? = nil,
        sleep: (any SleepMonitor)? = nil, messages: any MessageStore = MemoryMessageStore(),
        files: any FileStorage = NoFileStorage(),
        randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.clock = clock
        self.timeEvidence = timeEvidence
        self.discovery = discovery
        self.links = links
        self.network = network
        self.bluetooth = bluetooth
        self.sleep = sleep
        self.messages = messages
        self.files = files
        self.randomness = randomness
    }
}

// Bluetooth, which a node may not have.
extension NodePorts {
    /// Whether beacons are heard, by a radio or by antennas.
    var hearsBeacons: Bool { bluetooth != nil }

    /// Whether an antenna connects to devices.
    var callsThroughAntennas: Bool { antennas.contains { $0.facts.canConnect } }

    /// Returns these ports, with a radio that does nothing if only antennas can connect to devices.
    func withRadioForAntennas() -> NodePorts {
        var ports = self
        if callsThroughAntennas { ports.bluetooth = bluetooth ?? NoRadio() }
        return ports
    }

    /// Tells the radio which minors the node expects.
    func expect(_ minors: Set<BeaconMinor>) { bluetooth?.expect(minors) }

    /// Connects to a device with this machine's own radio.
    ///
    /// - Throws: `LinkError`; `.closed` without a radio.
    func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink {
        guard let bluetooth else { throw .closed }
        return try await bluetooth.connect(to: address, within: timeout)
    }
}

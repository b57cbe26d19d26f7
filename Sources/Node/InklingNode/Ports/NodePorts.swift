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

public import InklingEngine
public import InklingKeys

/// A source of sightings beyond this machine's own Bluetooth (`Specs/antennas.md`).
public protocol Antenna: Sendable {
    /// What the antenna is, and what can be expected of it.
    var facts: AntennaFacts { get }
    /// Listens until the task is cancelled or the source has ended for good. Reports are delivered in order, each when
    /// the node has processed the one before.
    func listen(_ report: @escaping @Sendable (AntennaReport) async -> Void) async
    /// Subscribes again, because nothing was heard for too long. Does nothing where that is not possible.
    func listenAgain()
    /// Connects to a device that the antenna has heard, from the antenna's own address. When the task is cancelled, nothing of
    /// the attempt remains.
    ///
    /// - Throws: `LinkError.timedOut` after `timeout`; `.unreachable`; `.closed` when the task is cancelled, and where the
    ///   antenna cannot connect.
    func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink
}

extension Antenna {
    /// Throws `closed`: the antenna cannot connect.
    public func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink {
        throw .closed
    }
}

/// What an antenna is, and what can be expected of it.
public struct AntennaFacts: Hashable, Sendable, Codable {
    /// The user's name for it, different for every antenna of a node.
    public let name: String
    /// Where its sightings come from.
    public let source: AntennaSource
    /// The room in which it stands; nil if its sightings say that, or nothing does.
    public let room: String?
    /// By how much the time of a sighting may be wrong, either way.
    public let clockError: Duration
    /// Whether sightings have addresses.
    public let hasAddresses: Bool
    /// Whether sightings have the advertising data as it was on the air.
    public let hasData: Bool
    /// Whether this node can connect to devices through it.
    public let canConnect: Bool
    /// For how long it may hear nothing at all before it counts as deaf.
    public let patience: Duration

    private enum CodingKeys: String, CodingKey {
        case name, source, room, clockError, hasAddresses, hasData, canConnect, patience
    }

    /// Creates the facts of an antenna.
    public init(
        name: String, source: AntennaSource, room: String? = nil, clockError: Duration, hasAddresses: Bool,
        hasData: Bool, canConnect: Bool = false, patience: Duration
    ) {
        self.name = name
        self.source = source
        self.room = room
        self.clockError = clockError
        self.hasAddresses = hasAddresses
        self.hasData = hasData
        self.canConnect = canConnect
        self.patience = patience
    }

    /// Decodes the facts; durations are whole milliseconds.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func duration(_ key: CodingKeys) throws -> Duration {
            .milliseconds(try members.decode(UInt64.self, forKey: key))
        }
        name = try members.decode(String.self, forKey: .name)
        source = try members.decode(AntennaSource.self, forKey: .source)
        room = try members.decodeIfPresent(String.self, forKey: .room)
        clockError = try duration(.clockError)
        hasAddresses = try members.decode(Bool.self, forKey: .hasAddresses)
        hasData = try members.decode(Bool.self, forKey: .hasData)
        canConnect = try members.decode(Bool.self, forKey: .canConnect)
        patience = try duration(.patience)
    }

    /// Encodes the facts; durations as whole milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .name)
        try members.encode(source, forKey: .source)
        try members.encodeIfPresent(room, forKey: .room)
        try members.encode(clockError.wholeMilliseconds, forKey: .clockError)
        try members.encode(hasAddresses, forKey: .hasAddresses)
        try members.encode(hasData, forKey: .hasData)
        try members.encode(canConnect, forKey: .canConnect)
        try members.encode(patience.wholeMilliseconds, forKey: .patience)
    }
}

/// Where the sightings of an antenna come from.
public enum AntennaSource: String, Hashable, Sendable, CaseIterable, Codable {
    /// JSON lines of another program.
    case lines
    /// A Bluetooth proxy with the firmware ESPHome.
    case esphome
    /// ESPresense's nodes, by a broker of MQTT.
    case espresense
    /// OpenMQTTGateway's gateways, by a broker of MQTT.
    case openmqttgateway
}

/// A report of an antenna.
public enum AntennaReport: Hashable, Sendable {
    /// The antenna listens: it is connected, and was told that sightings will come.
    case listening
    /// A beacon of the application was heard.
    case heard(BeaconMinor, AntennaSighting)
    /// So many other frames were heard since the report before. They are dropped where they were heard, and prove that the
    /// antenna is not deaf.
    case others(Int)
    /// So many inputs were not what they should be, and were left out.
    case refused(Int)
    /// So many inputs were dropped unread, because too many waited for the node.
    case dropped(Int)
    /// The antenna does not listen; it tries again by itself.
    case failed(AntennaError)
    /// The source has ended, and nothing more will come.
    case ended
}

/// Why an antenna does not listen.
public enum AntennaError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// It cannot be reached; `code` is the system's error number.
    case unreachable(code: Int32)
    /// It did not reply in time.
    case timedOut
    /// It has closed the connection.
    case closed
    /// The key is not that of the antenna.
    case wrongKey
    /// It speaks without encryption only, and plaintext was not asked for.
    case onlyPlaintext
    /// It demands encryption, and there is no key for it.
    case needsKey
    /// It calls itself by another name than the one that was expected.
    case anotherName
    /// It is no Bluetooth proxy, or one that cannot report raw advertisements.
    case noProxy
    /// It does not let this node listen: Home Assistant, or another program, has it.
    case taken
    /// Home Assistant, or another program, may have it and would lose it; the user has not said that it is this node's.
    case mayBeTaken
    /// It cannot connect to devices, which the user has asked for.
    case noConnections
    /// It has said something that the protocol does not allow at this place.
    case badMessage
    /// The broker does not accept the user name and the password, or wants some.
    case wrongPassword
    /// The broker has no TLS with a valid certificate of its name, or the files for it cannot be used.
    case noTLS
    /// The library for MQTT is not installed.
    case notInstalled

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .unreachable(let code): "it cannot be reached (system error \(code))"
        case .timedOut: "it does not reply in time"
        case .closed: "it has closed the connection"
        case .wrongKey: "the key is not that of the antenna"
        case .onlyPlaintext: "it speaks without encryption only"
        case .needsKey: "it demands encryption, and there is no key for it"
        case .anotherName: "it has another name than the one that was expected"
        case .noProxy: "it is no Bluetooth proxy that reports raw advertisements"
        case .taken: "Home Assistant or another program has it"
        case .mayBeTaken: "Home Assistant may have it and would lose it; exclusive = true says that it has not"
        case .noConnections: "it makes no connections, which connect = true asks for"
        case .badMessage: "it sends what the protocol does not allow"
        case .wrongPassword: "the broker does not accept the user name and the password"
        case .noTLS: "the broker has no TLS with a valid certificate of its name"
        case .notInstalled: "libmosquitto is not installed"
        }
    }
}

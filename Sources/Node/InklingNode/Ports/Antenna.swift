public import InklingEngine
public import InklingKeys

/// A source of sightings other than this machine's own Bluetooth (`Specs/antennas.md`).
public protocol Antenna: Sendable {
    /// The antenna's fixed properties.
    var facts: AntennaFacts { get }
    /// Listens until the task is cancelled or the source has ended for good. Reports are delivered in order, each after
    /// the node has processed the previous one.
    func listen(_ report: @escaping @Sendable (AntennaReport) async -> Void) async
    /// Subscribes again because nothing was heard for too long. Does nothing if that is not possible.
    func listenAgain()
    /// Connects to a device that the antenna has heard, from the antenna's own address. On cancellation nothing of the
    /// attempt remains.
    ///
    /// - Throws: `LinkError.timedOut` after `timeout`; `.unreachable`; `.closed` if the task is cancelled, or the
    ///   antenna cannot connect.
    func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink
}

extension Antenna {
    /// Throws `LinkError.closed`: the antenna cannot connect.
    public func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink {
        throw .closed
    }
}

/// The fixed properties of an antenna.
public struct AntennaFacts: Hashable, Sendable, Codable {
    /// The user's name for it, unique among the antennas of a node.
    public let name: String
    /// The kind of source of its sightings.
    public let source: AntennaSource
    /// The room in which it stands; nil if its sightings name the room, or it is unknown.
    public let room: String?
    /// The maximum error of a sighting's time, either way.
    public let clockError: Duration
    /// Whether sightings have addresses.
    public let hasAddresses: Bool
    /// Whether sightings have the advertising data as sent over the air.
    public let hasData: Bool
    /// Whether this node can connect to devices through it.
    public let canConnect: Bool
    /// The silence after which it counts as deaf.
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

/// The kind of source of an antenna's sightings.
public enum AntennaSource: String, Hashable, Sendable, CaseIterable, Codable {
    /// JSON lines from another program.
    case lines
    /// A Bluetooth proxy with ESPHome firmware.
    case esphome
    /// ESPresense nodes, through an MQTT broker.
    case espresense
    /// OpenMQTTGateway gateways, through an MQTT broker.
    case openmqttgateway
}

/// A report of an antenna.
public enum AntennaReport: Hashable, Sendable {
    /// The antenna listens: it is connected, and sightings were promised.
    case listening
    /// A beacon of the application was heard.
    case heard(BeaconMinor, AntennaSighting)
    /// This many other frames were heard since the previous report. They were dropped where they were heard, and prove
    /// that the antenna is not deaf.
    case others(Int)
    /// This many malformed inputs were ignored.
    case refused(Int)
    /// This many inputs were dropped unread because too many were waiting for the node.
    case dropped(Int)
    /// The antenna does not listen; it will try again by itself.
    case failed(AntennaError)
    /// The source has ended; no more reports follow.
    case ended
}

/// The reason why an antenna does not listen.
public enum AntennaError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// It cannot be reached; `code` is the system's error number.
    case unreachable(code: Int32)
    /// It did not reply in time.
    case timedOut
    /// It has closed the connection.
    case closed
    /// The key is not that of the antenna.
    case wrongKey
    /// It offers no encryption, and plaintext was not requested.
    case onlyPlaintext
    /// It demands encryption, and there is no key for it.
    case needsKey
    /// Its name differs from the expected one.
    case anotherName
    /// It is not a Bluetooth proxy, or one that cannot report raw advertisements.
    case noProxy
    /// It does not let this node listen: Home Assistant, or another program, uses it.
    case taken
    /// Home Assistant, or another program, may use it and would lose it; the user has not declared it this node's own.
    case mayBeTaken
    /// It cannot connect to devices, as the user has requested.
    case noConnections
    /// It sent a message that the protocol does not allow at this point.
    case badMessage
    /// The broker rejects the user name and the password, or requires them.
    case wrongPassword
    /// The broker has no TLS with a valid certificate for its name, or the files for it cannot be used.
    case noTLS
    /// The MQTT library is not installed.
    case notInstalled

    /// The reason in words.
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

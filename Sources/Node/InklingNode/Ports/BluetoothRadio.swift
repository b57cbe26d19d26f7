public import InklingEngine
public import InklingKeys

/// What a node shows over Bluetooth from one silent gap to the next (`Specs/bluetooth.md`).
public struct RadioPublication: Hashable, Sendable {
    /// The minor of the epoch, in an iBeacon frame with the constants of the profile.
    public let minor: BeaconMinor
    /// The tag of the epoch, which others read over GATT when the radio carries links.
    public let tag: RecognitionTag

    /// Creates a publication.
    public init(minor: BeaconMinor, tag: RecognitionTag) {
        self.minor = minor
        self.tag = tag
    }
}

/// A report of an open radio.
public enum RadioReport: Hashable, Sendable {
    /// An iBeacon frame of the profile was heard.
    case heard(BeaconSighting)
    /// The overflow area of an iPhone with the bit of Inkling's service was heard.
    case overflow(DeviceAddress, observed: ObservedTime)
    /// Too much is heard: until this session ends the radio leaves out the beacons of which nobody expects the minor, and
    /// phones in the background.
    case crowded
    /// For this long the radio may hear nothing of a device that is near.
    case gap(Duration)
    /// The radio has heard nothing for too long, and takes this step to hear again.
    case deaf(RadioRecovery)
    /// The radio hears again after `deaf`.
    case hearing
    /// The radio has stopped, and nothing is on the air. Close the session and open another.
    case failed(RadioError)
}

/// A step of recovery of a radio that hears nothing, in the order in which they are tried.
public enum RadioRecovery: String, Hashable, Sendable, CaseIterable, Codable {
    /// The scan is ended and begun again.
    case scanAgain = "scan-again"
    /// The adapter is switched off and on.
    case powerCycle = "power-cycle"
    /// Nothing has helped; the radio goes on without hearing.
    case none
}

/// Why Bluetooth cannot be used.
public enum RadioError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The system bus cannot be reached; `code` is the system's error number.
    case bus(code: Int32)
    /// `bluetoothd` does not run.
    case noDaemon
    /// `bluetoothd` runs, and has not replied in time.
    case noReply
    /// There is no adapter, or not the one that was asked for.
    case noAdapter
    /// The adapter is switched off or blocked.
    case poweredOff
    /// This user may not use Bluetooth.
    case notPermitted
    /// The adapter or `bluetoothd` has refused to advertise or to scan.
    case refused
    /// With this setting the node would show a value that stays the same from epoch to epoch.
    case exposed(RadioSetting)
    /// The node was told not to use the Bluetooth of this machine.
    case notUsed

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .bus(let code): "the system bus cannot be reached (system error \(code))"
        case .notUsed: "the node does not use the Bluetooth of this machine"
        case .noDaemon: "bluetoothd does not run"
        case .noReply: "bluetoothd runs and does not reply"
        case .noAdapter: "there is no Bluetooth adapter"
        case .poweredOff: "the Bluetooth adapter is switched off"
        case .notPermitted: "this user may not use Bluetooth"
        case .refused: "the Bluetooth adapter refuses to advertise or to scan"
        case .exposed(let setting): "Bluetooth needs \(setting.condition)"
        }
    }
}

/// A setting of `bluetoothd` without which a node would show something lasting (`Specs/bluetooth.md`).
public enum RadioSetting: String, Hashable, Sendable, CaseIterable, Codable {
    /// Links must not show the public address.
    case privacy
    /// The device name in GATT must be the constant of the profile.
    case name
    /// The appearance in GATT must be the constant of the profile. Without BR/EDR the adapter has no class, which is the
    /// appearance.
    case appearance
    /// There may be no Device Information service.
    case services
    /// No other services but those of the profile may be readable, of `bluetoothd` itself or of programs.
    case otherServices = "other-services"
    /// The number of ATT channels, which a peer can read from the features of the server.
    case channels
    /// A beacon must not be shown under an address that outlives the epoch.
    case beaconPrivacy = "beacon-privacy"

    /// The file that has the settings.
    public static let file = "/etc/bluetooth/main.conf"

    /// The option of `bluetoothd` without its parts that name it after the machine and add services of their own.
    public static let plugins = "--noplugin=hostname,vcp,mcp,bap"

    /// The line to write, with its section; nil where no line of the file helps.
    public var line: String? {
        switch self {
        case .appearance: "[General] ControllerMode = le"
        case .otherServices: nil
        case .privacy: "[General] Privacy = device"
        case .name: "[General] Name = inkling"
        case .services: "[General] DeviceID = false"
        case .channels: "[GATT] Channels = 1"
        case .beaconPrivacy: "[General] Privacy = off"
        }
    }

    /// What must be the case, in words.
    public var condition: String {
        line.map { "\($0) in \(Self.file)" }
            ?? "no services of other programs over GATT, and bluetoothd with \(Self.plugins)"
    }
}

/// A Bluetooth Low Energy radio. `InklingLinux` and `InklingSimulation` each provide one.
public protocol BluetoothRadio: Sendable {
    /// Goes on the air under a new address and returns when the beacon is shown; also scans. Without a publication it shows
    /// nothing and accepts no links; it scans and, if it carries links, can connect.
    ///
    /// - Throws: `RadioError`; then nothing is on the air.
    func open(_ publication: RadioPublication?) async throws(RadioError) -> any RadioSession
    /// Takes the minors that the node expects from now on, of contacts and of inviters. Where a radio hears too much it may
    /// leave out the others, and says so by `RadioReport.crowded`; a radio that never does ignores them.
    func expect(_ minors: Set<BeaconMinor>)
    /// Connects to a device from a private address, while a session that carries links is open.
    ///
    /// - Throws: `LinkError.timedOut` after `timeout`, `.unreachable`, or `.closed` when the task is cancelled or no
    ///   session carries links.
    func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink
}

extension BluetoothRadio {
    /// Ignores what the node expects.
    public func expect(_ minors: Set<BeaconMinor>) {}
}

/// A radio that is on the air or listens, from one silent gap to the next.
public protocol RadioSession: Sendable {
    /// Whether links are accepted and made; otherwise it shows a beacon to which nobody can connect, and listens.
    var carriesLinks: Bool { get }
    /// Reports in order, for a single consumer; ends after `close`. The buffer is bounded and drops the oldest report.
    var reports: AsyncStream<RadioReport> { get }
    /// Accepted links, for a single consumer; ends after `close`.
    var links: AsyncStream<any Link> { get }
    /// Goes off the air, closes every link, and returns when nothing more will be sent.
    func close() async
}

/// A link to a device that was found by its address.
public protocol TaggedLink: Link {
    /// Reads the tag that the device shows.
    ///
    /// - Throws: `LinkError.timedOut`, or `.closed` when the device has no tag or does not show it.
    func readTag(within timeout: Duration) async throws(LinkError) -> RecognitionTag
}

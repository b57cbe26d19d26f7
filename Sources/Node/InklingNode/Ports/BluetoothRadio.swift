public import InklingEngine
public import InklingKeys

/// The identifiers that a node shows over Bluetooth from one quiet period to the next (`Specs/bluetooth.md`).
public struct RadioPublication: Hashable, Sendable {
    /// The minor of the epoch, in an iBeacon frame with the constants of the profile.
    public let minor: BeaconMinor
    /// The tag of the epoch, which others read over GATT if the radio carries links.
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
    /// Too much is heard: until this session ends the radio ignores phones in the background and beacons whose minor is
    /// not expected.
    case crowded
    /// For this long the radio may miss a device that is near.
    case gap(Duration)
    /// The radio has heard nothing for too long, and takes this recovery step.
    case deaf(RadioRecovery)
    /// The radio hears again after `deaf`.
    case hearing
    /// The radio has stopped and is off the air. Close the session and open another.
    case failed(RadioError)
}

/// A recovery step for a radio that hears nothing, in the order in which they are tried.
public enum RadioRecovery: String, Hashable, Sendable, CaseIterable, Codable {
    /// The scan is restarted.
    case scanAgain = "scan-again"
    /// The adapter is switched off and on.
    case powerCycle = "power-cycle"
    /// Nothing has helped; the radio continues without hearing.
    case none
}

/// The reason why Bluetooth cannot be used.
public enum RadioError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The system bus cannot be reached; `code` is the system's error number.
    case bus(code: Int32)
    /// `bluetoothd` is not running.
    case noDaemon
    /// `bluetoothd` is running, but has not replied in time.
    case noReply
    /// There is no adapter, or not the requested one.
    case noAdapter
    /// The adapter is switched off or blocked.
    case poweredOff
    /// This user may not use Bluetooth.
    case notPermitted
    /// The adapter or `bluetoothd` has refused to advertise or to scan.
    case refused
    /// With this setting the node would show a value that stays the same across epochs.
    case exposed(RadioSetting)
    /// The node was configured not to use this machine's Bluetooth.
    case notUsed

    /// The reason in words.
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

/// A setting of `bluetoothd` without which a node would show a lasting value (`Specs/bluetooth.md`).
public enum RadioSetting: String, Hashable, Sendable, CaseIterable, Codable {
    /// Links must not show the public address.
    case privacy
    /// The device name in GATT must be the constant of the profile.
    case name
    /// The appearance in GATT must be the constant of the profile. Without BR/EDR the adapter has no class, which is the
    /// appearance.
    case appearance
    /// There must be no Device Information service.
    case services
    /// Only the services of the profile may be readable, and none of `bluetoothd` itself or of other programs.
    case otherServices = "other-services"
    /// The number of ATT channels, which a peer can read from the features of the server.
    case channels
    /// A beacon must not be shown under an address that outlives the epoch.
    case beaconPrivacy = "beacon-privacy"

    /// The configuration file with the settings.
    public static let file = "/etc/bluetooth/main.conf"

    /// The option that disables the plugins of `bluetoothd` that name it after the machine or add services.
    public static let plugins = "--noplugin=hostname,vcp,mcp,bap"

    /// The line to write, with its section; nil if no line of the file helps.
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

    /// The required condition in words.
    public var condition: String {
        line.map { "\($0) in \(Self.file)" }
            ?? "no services of other programs over GATT, and bluetoothd with \(Self.plugins)"
    }
}

/// A Bluetooth Low Energy radio. `InklingLinux` and `InklingSimulation` each provide one.
public protocol BluetoothRadio: Sendable {
    /// Goes on the air under a new address and returns once the beacon is shown; also scans. Without a publication it
    /// shows nothing and accepts no links; it scans and, if it carries links, can connect.
    ///
    /// - Throws: `RadioError`; nothing is on the air then.
    func open(_ publication: RadioPublication?) async throws(RadioError) -> any RadioSession
    /// Sets the minors that the node expects from now on, of contacts and of inviters. A radio that hears too much may
    /// ignore the others, and reports `RadioReport.crowded` then; a radio that never does ignores this call.
    func expect(_ minors: Set<BeaconMinor>)
    /// Connects to a device from a private address, while a session that carries links is open.
    ///
    /// - Throws: `LinkError.timedOut` after `timeout`, `.unreachable`, or `.closed` if the task is cancelled or no
    ///   session carries links.
    func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink
}

extension BluetoothRadio {
    /// Does nothing: the radio never ignores beacons.
    public func expect(_ minors: Set<BeaconMinor>) {}
}

/// A radio that is on the air or listens, from one quiet period to the next.
public protocol RadioSession: Sendable {
    /// Whether links are accepted and made; otherwise it listens and shows a beacon that is not connectable.
    var carriesLinks: Bool { get }
    /// Reports in order, for a single consumer; ends after `close`. The buffer is bounded and drops the oldest report.
    var reports: AsyncStream<RadioReport> { get }
    /// Accepted links, for a single consumer; ends after `close`.
    var links: AsyncStream<any Link> { get }
    /// Goes off the air, closes every link, and returns once nothing more will be sent.
    func close() async
}

/// A link to a device that was found by its address.
public protocol TaggedLink: Link {
    /// Reads the tag that the device shows.
    ///
    /// - Throws: `LinkError.timedOut`, or `.closed` if the device has no tag or does not show it.
    func readTag(within timeout: Duration) async throws(LinkError) -> RecognitionTag
}

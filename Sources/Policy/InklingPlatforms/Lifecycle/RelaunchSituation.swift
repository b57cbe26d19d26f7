/// The circumstances that decide whether the system relaunches an app for an event (`Specs/lifecycle.md`).
public struct RelaunchSituation: Hashable, Sendable {
    /// The event that ended or suspended the app.
    public enum Fate: String, Hashable, Sendable, CaseIterable {
        /// The app is in memory.
        case suspended
        /// The system removed the app from memory.
        case removed
        /// The app crashed.
        case crashed
        /// The user removed the app in the app switcher.
        case forceQuit = "force-quit"
    }

    /// A change of the device since the app last ran.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// Bluetooth was switched off and on in the settings.
        case bluetoothBySettings = "bluetooth-by-settings"
        /// Bluetooth was switched off and on in Control Center.
        case bluetoothByControlCenter = "bluetooth-by-control-center"
        /// Airplane mode switched Bluetooth off and on.
        case bluetoothByAirplaneMode = "bluetooth-by-airplane-mode"
        /// Airplane mode was switched on and off, and Bluetooth stayed on.
        case airplaneMode = "airplane-mode"
        /// The system reset Bluetooth.
        case bluetoothReset = "bluetooth-reset"
        /// The device was restarted, and was unlocked since or has no passcode.
        case restarted
        /// The device was restarted, and its passcode has not been entered since.
        case restartedLocked = "restarted-locked"
    }

    /// A background mode of Bluetooth.
    public enum BackgroundMode: String, Hashable, Sendable, CaseIterable {
        /// `bluetooth-central`: to scan and to connect.
        case central
        /// `bluetooth-peripheral`: to advertise and to be connected to.
        case peripheral
    }

    /// Something for which the app waits.
    public enum Pending: String, Hashable, Sendable, CaseIterable {
        /// The discovery of a peripheral with one of the services of a scan.
        case scanning
        /// A requested connection.
        case connecting
        /// The loss of an established connection.
        case connected
        /// Notifications of a characteristic to which the app is subscribed.
        case subscribed
        /// A central that responds to the app's advertising.
        case advertising
        /// The entry into a beacon region or the exit from it.
        case monitoring
    }

    /// An event that may cause a relaunch.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        /// The scan discovered a peripheral with one of its services.
        case matchDiscovered = "match-discovered"
        /// A peripheral to which the app requested a connection came into range.
        case peerReachable = "peer-reachable"
        /// A peripheral was connected or disconnected.
        case connectionChanged = "connection-changed"
        /// A notification or an indication arrived.
        case notified
        /// A central subscribed to a characteristic of this app.
        case centralSubscribed = "central-subscribed"
        /// A central read a characteristic of this app.
        case centralRead = "central-read"
        /// A central wrote to a characteristic of this app.
        case centralWrote = "central-wrote"
        /// The reply to a read by this app arrived.
        case readAnswered = "read-answered"
        /// A device that no scan looks for is advertising.
        case otherAdvertising = "other-advertising"
        /// Time passed; no timer wakes an app.
        case timePassed = "time-passed"
        /// The device entered a monitored region.
        case regionEntered = "region-entered"
        /// The device left a monitored region.
        case regionExited = "region-exited"

        /// Returns the items of which at least one must be pending; empty for events that never cause a relaunch.
        public func awaited(in column: RelaunchTable.Column) -> Set<Pending> {
            switch self {
            case .matchDiscovered: [.scanning]
            case .peerReachable: [.connecting]
            case .connectionChanged: [.connecting, .connected]
            case .notified: [.subscribed]
            // Only TN3115 says that advertising is pending.
            case .centralSubscribed: column == .current ? [.advertising] : []
            case .regionEntered, .regionExited: [.monitoring]
            case .centralRead, .centralWrote, .readAnswered, .otherAdvertising, .timePassed: []
            }
        }

        var isOfRegion: Bool { self == .regionEntered || self == .regionExited }
    }

    /// The major version of iOS.
    public var version: Int
    /// The event that ended or suspended the app.
    public var fate: Fate
    /// The changes of the device since the app last ran.
    public var changes: Set<Change> = []
    /// The background modes of Bluetooth that the app declares.
    public var modes: Set<BackgroundMode> = [.central, .peripheral]
    /// Whether the app creates its managers with a restoration identifier.
    public var hasIdentifier = true
    /// Whether the user allows location at all times.
    public var mayAlwaysLocate = true
    /// The number of whole hours since the app last ran.
    public var hours = 0
    /// The things for which the app waits.
    public var pending: Set<Pending>
    /// The event for which the app might be relaunched.
    public var event: Event

    /// Creates a situation in which nothing but the arguments can prevent a relaunch.
    public init(version: Int, fate: Fate, pending: Set<Pending>, event: Event) {
        self.version = version
        self.fate = fate
        self.pending = pending
        self.event = event
    }
}

extension RelaunchSituation {
    /// Creates a situation from the state of an app, in which nothing but the arguments can prevent a relaunch; nil for
    /// a state in which the app runs.
    public init?(version: Int, state: AppState, pending: Set<Pending>, event: Event) {
        let fate: Fate
        switch state {
        case .foreground, .background, .locked: return nil
        case .suspended: fate = .suspended
        case .terminated, .beforeUnlock: fate = .removed
        case .forceQuit: fate = .forceQuit
        }
        self.init(version: version, fate: fate, pending: pending, event: event)
        if state == .beforeUnlock { changes = [.restartedLocked] }
    }
}

/// The circumstances that decide whether the system relaunches an app for an event (`Specs/lifecycle.md`).
public struct RelaunchSituation: Hashable, Sendable {
    /// What happened to the app since it last ran.
    public enum Fate: String, Hashable, Sendable, CaseIterable {
        /// It is in memory.
        case suspended
        /// The system removed it from memory.
        case removed
        /// It crashed.
        case crashed
        /// The user removed it in the app switcher.
        case forceQuit = "force-quit"
    }

    /// What happened to the device since the app last ran.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// Bluetooth was switched off and on in the settings.
        case bluetoothBySettings = "bluetooth-by-settings"
        /// Bluetooth was switched off and on in Control Center.
        case bluetoothByControlCenter = "bluetooth-by-control-center"
        /// Airplane mode toggled Bluetooth.
        case bluetoothByAirplaneMode = "bluetooth-by-airplane-mode"
        /// Airplane mode that left Bluetooth alone.
        case airplaneMode = "airplane-mode"
        /// The system reset Bluetooth.
        case bluetoothReset = "bluetooth-reset"
        /// Restarted, and unlocked since or without a passcode.
        case restarted
        /// Restarted, with a passcode that has not been entered since.
        case restartedLocked = "restarted-locked"
    }

    /// Background modes of Bluetooth that the app declares.
    public enum BackgroundMode: String, Hashable, Sendable, CaseIterable {
        /// `bluetooth-central`: to scan and to connect.
        case central
        /// `bluetooth-peripheral`: to advertise and to be connected to.
        case peripheral
    }

    /// Something that the app waits for.
    public enum Pending: String, Hashable, Sendable, CaseIterable {
        /// A peripheral that shows one of the services of a scan.
        case scanning
        /// A connection that was asked for.
        case connecting
        /// A connection that is established.
        case connected
        /// A characteristic that notifies.
        case subscribed
        /// A central that reacts to what the app advertises.
        case advertising
        /// The edge of a beacon region.
        case monitoring
    }

    /// An event.
    public enum Event: String, Hashable, Sendable, CaseIterable {
        /// A peripheral that shows a service of the scan was discovered.
        case matchDiscovered = "match-discovered"
        /// A peripheral to which a connection was asked for came into reach.
        case peerReachable = "peer-reachable"
        /// A peripheral was connected or disconnected.
        case connectionChanged = "connection-changed"
        /// A notification or an indication came.
        case notified
        /// A central subscribed to a characteristic of this app.
        case centralSubscribed = "central-subscribed"
        /// A central read a characteristic of this app.
        case centralRead = "central-read"
        /// A central wrote to a characteristic of this app.
        case centralWrote = "central-wrote"
        /// A read of ours was answered.
        case readAnswered = "read-answered"
        /// A device advertises for which no scan looks.
        case otherAdvertising = "other-advertising"
        /// Time passed; no timer wakes an app.
        case timePassed = "time-passed"
        /// The edge of a monitored region was crossed inwards.
        case regionEntered = "region-entered"
        /// The edge of a monitored region was crossed outwards.
        case regionExited = "region-exited"

        /// Returns what the app must be waiting for; empty for events that never relaunch.
        public func awaited(in column: RelaunchTable.Column) -> Set<Pending> {
            switch self {
            case .matchDiscovered: [.scanning]
            case .peerReachable: [.connecting]
            case .connectionChanged: [.connecting, .connected]
            case .notified: [.subscribed]
            // Only TN3115 names it.
            case .centralSubscribed: column == .current ? [.advertising] : []
            case .regionEntered, .regionExited: [.monitoring]
            case .centralRead, .centralWrote, .readAnswered, .otherAdvertising, .timePassed: []
            }
        }

        var isOfRegion: Bool { self == .regionEntered || self == .regionExited }
    }

    /// Major version of iOS.
    public var version: Int
    /// What happened to the app.
    public var fate: Fate
    /// What happened to the device.
    public var changes: Set<Change> = []
    /// The background modes of Bluetooth that the app declares.
    public var modes: Set<BackgroundMode> = [.central, .peripheral]
    /// Whether the app creates its managers with a restoration identifier.
    public var hasIdentifier = true
    /// Whether the app may use the location at all times.
    public var mayAlwaysLocate = true
    /// Whole hours since the app last ran.
    public var hours = 0
    /// Something that the app waits for.
    public var pending: Set<Pending>
    /// An event.
    public var event: Event

    /// Creates a situation in which nothing prevents a relaunch but what the arguments name.
    public init(version: Int, fate: Fate, pending: Set<Pending>, event: Event) {
        self.version = version
        self.fate = fate
        self.pending = pending
        self.event = event
    }
}

extension RelaunchSituation {
    /// Creates a situation from the state of an app, in which nothing prevents a relaunch but what the arguments name; nil for a state in which
    /// it runs.
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

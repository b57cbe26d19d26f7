/// What the user permits and the app declares, and what then works (`Specs/lifecycle.md`).
public struct Permissions: Hashable, Sendable {
    /// The user's decision about a capability of the device.
    public enum Word: String, Hashable, Sendable, CaseIterable {
        /// The user was not asked yet.
        case notDetermined = "not-determined"
        /// The user denied it.
        case denied
        /// It is restricted, and the user cannot allow it.
        case restricted
        /// The user allowed it.
        case allowed
    }

    /// The user's decision about the location.
    public enum LocationWord: String, Hashable, Sendable, CaseIterable {
        /// The user was not asked yet.
        case notDetermined = "not-determined"
        /// The user denied it.
        case denied
        /// It is restricted, and the user cannot allow it.
        case restricted
        /// While the app is in use.
        case whenInUse = "when-in-use"
        /// At all times, without which no region wakes the app.
        case always
    }

    /// The user's decision about Bluetooth.
    public var bluetooth: Word
    /// The user's decision about the location.
    public var location: LocationWord
    /// The user's decision about the local network.
    public var localNetwork: Word
    /// The background modes of Bluetooth that the app declares.
    public var modes: Set<RelaunchSituation.BackgroundMode>
    /// The setting "background contact detection": whether the user wants the app to work in the background.
    public var wantsBackground: Bool
    /// Whether the app asked for the location at all times before; the system shows its question once.
    public var hasAskedAlways: Bool

    /// Creates permissions.
    public init(
        bluetooth: Word, location: LocationWord, localNetwork: Word, modes: Set<RelaunchSituation.BackgroundMode>,
        wantsBackground: Bool, hasAskedAlways: Bool = false
    ) {
        self.bluetooth = bluetooth
        self.location = location
        self.localNetwork = localNetwork
        self.modes = modes
        self.wantsBackground = wantsBackground
        self.hasAskedAlways = hasAskedAlways
    }
}

extension Permissions {
    /// A mode of the app, from most to least.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Regions wake the app, and Bluetooth continues in the background in both roles.
        case full
        /// Regions wake the app; Bluetooth continues in the background in one role or in none.
        case regions
        /// Bluetooth continues in the background as far as the system allows; nothing wakes a terminated app reliably.
        case noRegions = "no-regions"
        /// Everything works while the app is on the screen, and nothing else; the user chose it.
        case foregroundOnly = "foreground-only"
        /// The local network without Bluetooth.
        case networkOnly = "network-only"
        /// Only codes that people show each other.
        case nothing
    }

    /// A capability of the app.
    public enum Capability: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Making contacts by codes.
        case codes
        /// Names and links on a common network.
        case localNetwork = "local-network"
        /// Bluetooth while the app is on the screen.
        case foreground
        /// Scanning in the background.
        case backgroundScanning = "background-scanning"
        /// Advertising in the background.
        case backgroundAdvertising = "background-advertising"
        /// Restoration after the system removed the app; do not count on it.
        case restoration
        /// Waking by beacon regions.
        case regions

        public static func < (left: Self, right: Self) -> Bool {
            let order = allCases
            return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
        }
    }

    /// A text that the app shows while something is missing.
    public enum Banner: String, Hashable, Sendable, CaseIterable {
        /// "Background detection is disabled. Grant Location permission in Settings to enable it."
        case backgroundDisabled = "background-disabled"
        /// The user denied Bluetooth, and can change that in the system's settings.
        case bluetoothDenied = "bluetooth-denied"
        /// Bluetooth is restricted on this device, and its user cannot change that.
        case bluetoothRestricted = "bluetooth-restricted"
    }

    /// An occasion on which the app decides whether to ask for a permission.
    public enum Moment: String, Hashable, Sendable, CaseIterable {
        /// The launch, at which nothing is asked for.
        case launch
        /// The user begins to look for contacts.
        case use
        /// The user switched background contact detection on.
        case setting
    }

    /// Something to ask for, after an explanation of the app's own.
    public enum Question: String, Hashable, Sendable, CaseIterable {
        /// Bluetooth; creating a manager shows the system's question.
        case bluetooth
        /// The local network.
        case localNetwork = "local-network"
        /// The location while the app is in use.
        case locationWhenInUse = "location-when-in-use"
        /// The location at all times, after "when in use" was granted.
        case locationAlways = "location-always"
        /// The system does not ask again: send the user to its settings.
        case settings
    }

    /// The capabilities that work, in the order of the cases.
    public var capabilities: [Capability] {
        var found: [Capability] = [.codes]
        if localNetwork == .allowed { found.append(.localNetwork) }
        guard bluetooth == .allowed else { return found }
        found.append(.foreground)
        guard wantsBackground else { return found }
        if modes.contains(.central) { found.append(.backgroundScanning) }
        if modes.contains(.peripheral) { found.append(.backgroundAdvertising) }
        if !modes.isEmpty { found.append(.restoration) }
        if location == .always { found.append(.regions) }
        return found
    }

    /// The mode of the app.
    public var mode: Mode {
        guard bluetooth == .allowed else { return localNetwork == .allowed ? .networkOnly : .nothing }
        guard wantsBackground else { return .foregroundOnly }
        if location == .always { return modes.count == 2 ? .full : .regions }
        return modes.isEmpty ? .foregroundOnly : .noRegions
    }

    /// The text to show; nil when nothing is missing.
    public var banner: Banner? {
        switch bluetooth {
        case .denied: .bluetoothDenied
        case .restricted: .bluetoothRestricted
        case .notDetermined: nil
        case .allowed: wantsBackground && location != .always ? .backgroundDisabled : nil
        }
    }

    /// Returns what to ask for now: at most one thing, and nothing at launch.
    public func question(at moment: Moment) -> Question? {
        guard moment != .launch else { return nil }
        switch bluetooth {
        case .notDetermined: return .bluetooth
        case .denied: return .settings
        case .restricted: return moment == .use ? localNetworkQuestion : nil
        case .allowed: break
        }
        guard moment == .setting, wantsBackground else { return moment == .use ? localNetworkQuestion : nil }
        return switch location {
        case .notDetermined: .locationWhenInUse
        case .whenInUse: hasAskedAlways ? .settings : .locationAlways
        case .denied: .settings
        case .restricted, .always: nil
        }
    }

    private var localNetworkQuestion: Question? { localNetwork == .notDetermined ? .localNetwork : nil }

    /// Returns the capabilities that begin and end with a change, in the order of the cases.
    public func changes(from before: Permissions) -> (starts: [Capability], stops: [Capability]) {
        let then = Set(before.capabilities), now = Set(capabilities)
        return (now.subtracting(then).sorted(), then.subtracting(now).sorted())
    }
}

/// What the user and the app's own declaration permit, and what that leaves of the app (`Specs/lifecycle.md`).
public struct Permissions: Hashable, Sendable {
    /// What the user said about a capability of the device.
    public enum Word: String, Hashable, Sendable, CaseIterable {
        /// The user was not asked yet.
        case notDetermined = "not-determined"
        /// The user said no.
        case denied
        /// The user cannot permit it.
        case restricted
        /// The user said yes.
        case allowed
    }

    /// What the user said about the location.
    public enum LocationWord: String, Hashable, Sendable, CaseIterable {
        /// The user was not asked yet.
        case notDetermined = "not-determined"
        /// The user said no.
        case denied
        /// The user cannot permit it.
        case restricted
        /// While the app is in use.
        case whenInUse = "when-in-use"
        /// At all times, without which no region wakes the app.
        case always
    }

    /// What the user said about Bluetooth.
    public var bluetooth: Word
    /// What the user said about the location.
    public var location: LocationWord
    /// What the user said about the local network.
    public var localNetwork: Word
    /// The background modes of Bluetooth that the app declares.
    public var modes: Set<RelaunchSituation.BackgroundMode>
    /// The setting "background contact detection": whether the user wants the app to work while nobody looks.
    public var wantsBackground: Bool
    /// The system was asked for the location at all times before; it shows its question once.
    public var hasAskedAlways: Bool

    /// Permissions as they stand.
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
    /// What is left of the app, from most to least.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Regions wake the app, and Bluetooth goes on in the background in both roles.
        case full
        /// Regions wake the app; Bluetooth goes on in the background in one role or in none.
        case regions
        /// Bluetooth goes on in the background, as far as the system lets it; nothing wakes a terminated app reliably.
        case noRegions = "no-regions"
        /// All of it while the app is on the screen, and nothing else: what was chosen, not a fault.
        case foregroundOnly = "foreground-only"
        /// The local network without Bluetooth.
        case networkOnly = "network-only"
        /// Only codes that people show each other.
        case nothing
    }

    /// One thing that works.
    public enum Capability: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Contacts by showing a code.
        case codes
        /// Names and links on a network that both are on.
        case localNetwork = "local-network"
        /// Bluetooth while the app is on the screen.
        case foreground
        /// Scanning while it is not.
        case backgroundScanning = "background-scanning"
        /// Advertising while it is not.
        case backgroundAdvertising = "background-advertising"
        /// What the system restores after it removed the app; never to be counted on.
        case restoration
        /// Being woken at the edge of a beacon region.
        case regions

        public static func < (left: Self, right: Self) -> Bool {
            let order = allCases
            return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
        }
    }

    /// A text that stays on the screen while something is amiss.
    public enum Banner: String, Hashable, Sendable, CaseIterable {
        /// "Background detection is disabled. Grant Location permission in Settings to enable it."
        case backgroundDisabled = "background-disabled"
        /// The user denied Bluetooth, and can change that in the system's settings.
        case bluetoothDenied = "bluetooth-denied"
        /// Bluetooth is restricted on this device, and its user cannot change that.
        case bluetoothRestricted = "bluetooth-restricted"
    }

    /// When the app looks whether something is to be asked.
    public enum Moment: String, Hashable, Sendable, CaseIterable {
        /// At the start; nothing about the location is asked there.
        case launch
        /// The user begins to look for contacts.
        case use
        /// The user switched background contact detection on.
        case setting
    }

    /// What to ask, each after an explanation of our own.
    public enum Question: String, Hashable, Sendable, CaseIterable {
        /// Creating a manager shows the system's question.
        case bluetooth
        /// Whether the app may use the local network.
        case localNetwork = "local-network"
        /// Whether the app may use the location while it is in use.
        case locationWhenInUse = "location-when-in-use"
        /// Only where "when in use" was granted before.
        case locationAlways = "location-always"
        /// The system asks no more: the user has to go to its settings.
        case settings
    }

    /// What works, in the order of the cases.
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

    /// What is left of the app.
    public var mode: Mode {
        guard bluetooth == .allowed else { return localNetwork == .allowed ? .networkOnly : .nothing }
        guard wantsBackground else { return .foregroundOnly }
        if location == .always { return modes.count == 2 ? .full : .regions }
        return modes.isEmpty ? .foregroundOnly : .noRegions
    }

    /// What to show for as long as it is so.
    public var banner: Banner? {
        switch bluetooth {
        case .denied: .bluetoothDenied
        case .restricted: .bluetoothRestricted
        case .notDetermined: nil
        case .allowed: wantsBackground && location != .always ? .backgroundDisabled : nil
        }
    }

    /// What to ask now; at most one thing, and nothing at launch.
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

    /// What begins to work and what ends with a change, in the order of the cases.
    public func changes(from before: Permissions) -> (starts: [Capability], stops: [Capability]) {
        let then = Set(before.capabilities), now = Set(capabilities)
        return (now.subtracting(then).sorted(), then.subtracting(now).sorted())
    }
}

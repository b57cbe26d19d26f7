/// The user's permissions, the app's declarations, and the capabilities that result (`Specs/lifecycle.md`).
public struct Permissions: Hashable, Sendable {
    /// The user's decision about Bluetooth or the local network.
    public enum Word: String, Hashable, Sendable, CaseIterable {
        /// The user was not asked yet.
        case notDetermined = "not-determined"
        /// The user denied it.
        case denied
        /// A restriction of the device prevents it, and the user cannot allow it.
        case restricted
        /// The user allowed it.
        case allowed
    }

    /// The user's decision about location.
    public enum LocationWord: String, Hashable, Sendable, CaseIterable {
        /// The user was not asked yet.
        case notDetermined = "not-determined"
        /// The user denied it.
        case denied
        /// A restriction of the device prevents it, and the user cannot allow it.
        case restricted
        /// The user allowed it while the app is in use.
        case whenInUse = "when-in-use"
        /// The user allowed it at all times, without which no region wakes the app.
        case always
    }

    /// The user's decision about Bluetooth.
    public var bluetooth: Word
    /// The user's decision about location.
    public var location: LocationWord
    /// The user's decision about the local network.
    public var localNetwork: Word
    /// The background modes of Bluetooth that the app declares.
    public var modes: Set<RelaunchSituation.BackgroundMode>
    /// The setting "background contact detection": whether the user wants the app to work in the background.
    public var wantsBackground: Bool
    /// Whether the app has asked for location at all times; the system shows this question only once.
    public var hasAskedAlways: Bool

    /// Creates the permissions of an app.
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
    /// A mode of the app; the modes are ordered from the most capable to the least.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// Regions wake the app, and Bluetooth continues in the background in both roles.
        case full
        /// Regions wake the app; Bluetooth continues in the background in one role or in none.
        case regions
        /// Bluetooth continues in the background as far as the system allows; nothing wakes a terminated app reliably.
        case noRegions = "no-regions"
        /// The app works only while it is on the screen.
        case foregroundOnly = "foreground-only"
        /// The app can use the local network but not Bluetooth.
        case networkOnly = "network-only"
        /// The app can only exchange codes on the screen.
        case nothing
    }

    /// A capability of the app.
    public enum Capability: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Making contacts by codes on the screen.
        case codes
        /// Names and links on the local network.
        case localNetwork = "local-network"
        /// Bluetooth while the app is on the screen.
        case foreground
        /// Scanning in the background.
        case backgroundScanning = "background-scanning"
        /// Advertising in the background.
        case backgroundAdvertising = "background-advertising"
        /// Restoration after the system removed the app from memory; unreliable.
        case restoration
        /// Being woken by beacon regions.
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
        /// The user denied Bluetooth and can allow it in the system's settings.
        case bluetoothDenied = "bluetooth-denied"
        /// Bluetooth is restricted on this device, and the user cannot change that.
        case bluetoothRestricted = "bluetooth-restricted"
    }

    /// An occasion on which the app decides whether to ask for a permission.
    public enum Moment: String, Hashable, Sendable, CaseIterable {
        /// The app was launched; it asks for nothing then.
        case launch
        /// The user begins to look for contacts.
        case use
        /// The user switched background contact detection on.
        case setting
    }

    /// A permission to ask for, after the app has explained it in its own words.
    public enum Question: String, Hashable, Sendable, CaseIterable {
        /// Ask for Bluetooth: creating a manager makes the system ask.
        case bluetooth
        /// Ask for the local network.
        case localNetwork = "local-network"
        /// Ask for location while the app is in use.
        case locationWhenInUse = "location-when-in-use"
        /// Ask for location at all times, after "when in use" was granted.
        case locationAlways = "location-always"
        /// Send the user to the system's settings, because the system does not ask again.
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

    /// The mode that the permissions and the declarations of the app result in.
    public var mode: Mode {
        guard bluetooth == .allowed else { return localNetwork == .allowed ? .networkOnly : .nothing }
        guard wantsBackground else { return .foregroundOnly }
        if location == .always { return modes.count == 2 ? .full : .regions }
        return modes.isEmpty ? .foregroundOnly : .noRegions
    }

    /// The text to show; nil if nothing is missing.
    public var banner: Banner? {
        switch bluetooth {
        case .denied: .bluetoothDenied
        case .restricted: .bluetoothRestricted
        case .notDetermined: nil
        case .allowed: wantsBackground && location != .always ? .backgroundDisabled : nil
        }
    }

    /// Returns the permission to ask for now; nil if there is none, and always nil at launch.
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

    /// Returns the capabilities that these permissions add and remove compared with `before`, in the order of the
    /// cases.
    public func changes(from before: Permissions) -> (starts: [Capability], stops: [Capability]) {
        let then = Set(before.capabilities), now = Set(capabilities)
        return (now.subtracting(then).sorted(), then.subtracting(now).sorted())
    }
}

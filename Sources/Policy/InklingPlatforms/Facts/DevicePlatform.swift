/// The platform of a device: family, version, and traits of the hardware (`Specs/platforms.md`).
public struct DevicePlatform: Hashable, Sendable {
    /// A family of operating systems.
    public enum Family: String, Hashable, Sendable, CaseIterable {
        /// iOS and iPadOS.
        case iOS = "ios"
        /// Android, with a foreground service.
        case android
        /// Linux, with BlueZ and a running node.
        case linux
    }

    /// A trait of the hardware or the program on which facts depend.
    public enum Trait: String, Hashable, Sendable, CaseIterable {
        /// iPhone 12 and later.
        case iPhone12 = "iphone-12"
        /// iPhone 17, on which scanning stops in the background.
        case iPhone17 = "iphone-17"
        /// Usable Wi-Fi Aware: on Android with pairing as in version 4.0 of the specification, on Linux with a driver
        /// that reports NAN.
        case aware
        /// A Linux Bluetooth controller with one advertising set.
        case legacy
        /// A Linux node that only shows a beacon and listens.
        case beaconOnly = "beacon-only"
    }

    /// Whether a row of the table of facts covers the version.
    public enum Coverage: String, Hashable, Sendable {
        /// A row covers it, or its family is not divided by version.
        case exact
        /// No row covers it, and the row of the nearest older version is used.
        case older
        /// It is older than every row.
        case none
    }

    /// The family of operating systems.
    public let family: Family
    /// The version of the operating system; ignored for Android and Linux, which are not divided by version.
    public let version: PlatformVersion
    /// The traits of the hardware and the program.
    public let traits: Set<Trait>

    /// Creates a platform.
    public init(_ family: Family, _ version: PlatformVersion, traits: Set<Trait> = []) {
        self.family = family
        self.version = version
        self.traits = traits
    }

    /// The rows of the table of facts that apply to this device.
    public var rows: Set<ProfileRow> {
        var rows: Set<ProfileRow>
        switch family {
        case .iOS:
            rows = [.iOS]
            if let row = rowOfVersion { rows.insert(row) }
            // The row of iPhone 12 stands for that model and later ones.
            if !traits.isDisjoint(with: [.iPhone12, .iPhone17]) { rows.insert(.iPhone12) }
            if traits.contains(.iPhone17) { rows.insert(.iPhone17) }
        case .android:
            rows = [.android]
            if traits.contains(.aware) { rows.insert(.androidAware) }
        case .linux:
            rows = [.linux]
            rows.insert(
                traits.contains(.beaconOnly) ? .linuxBeacon : traits.contains(.legacy) ? .linuxLegacy : .linuxExtended)
            if traits.contains(.aware) { rows.insert(.linuxAware) }
        }
        return rows
    }

    /// The row of the version, or of the nearest older one; nil if every row is newer. For Android and Linux, the row
    /// of the family.
    public var rowOfVersion: ProfileRow? {
        switch family {
        case .android: return .android
        case .linux: return .linux
        case .iOS: break
        }
        return ProfileRow.versionsOfIOS.last { $0.versions.lowerBound <= version }?.row
    }

    /// The coverage of this version by the rows.
    public var coverage: Coverage {
        guard family == .iOS else { return .exact }
        guard let last = ProfileRow.versionsOfIOS.last(where: { $0.versions.lowerBound <= version }) else {
            return .none
        }
        return last.versions.contains(version) ? .exact : .older
    }
}

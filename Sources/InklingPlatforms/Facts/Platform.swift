/// A device as its platform sees it: family, version, and traits of its hardware (`Specs/platforms.md`).
public struct Platform: Hashable, Sendable {
    /// Whose system it is.
    public enum Family: String, Hashable, Sendable, CaseIterable {
        /// iOS and iPadOS.
        case iOS = "ios"
        /// Android, with a foreground service.
        case android
        /// Linux, with BlueZ and a running node.
        case linux
    }

    /// What matters of the hardware.
    public enum Trait: String, Hashable, Sendable, CaseIterable {
        /// iPhone 12 and later.
        case iPhone12 = "iphone-12"
        /// iPhone 17, on which scanning stops in the background.
        case iPhone17 = "iphone-17"
        /// Wi-Fi Aware that can be used: on Android with pairing of specification 4.0, on Linux when the driver says so.
        case aware
        /// A Linux controller with one advertising set.
        case legacy
        /// A Linux node that only shows a beacon and listens.
        case beaconOnly = "beacon-only"
    }

    /// Whether the version is covered by a row.
    public enum Coverage: String, Hashable, Sendable {
        /// A row covers it, or its family has no rows of versions.
        case exact
        /// No row covers it, and the nearest older one stands for it.
        case older
        /// It is older than every row.
        case none
    }

    /// Whose system it is.
    public let family: Family
    /// The version of the system; of no account where the family's versions have no rows.
    public let version: PlatformVersion
    /// What matters of the hardware.
    public let traits: Set<Trait>

    /// A device.
    public init(_ family: Family, _ version: PlatformVersion, traits: Set<Trait> = []) {
        self.family = family
        self.version = version
        self.traits = traits
    }

    /// The rows whose facts hold for this device.
    public var rows: Set<ProfileRow> {
        var rows: Set<ProfileRow>
        switch family {
        case .iOS:
            rows = [.iOS]
            if let row = rowOfVersion { rows.insert(row) }
            // Every iPhone 17 is later than an iPhone 12; Wi-Fi Aware came with iOS 26.
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

    /// The row that stands for the version, if there is one: the family's where its versions have no rows.
    public var rowOfVersion: ProfileRow? {
        switch family {
        case .android: return .android
        case .linux: return .linux
        case .iOS: break
        }
        return ProfileRow.versionsOfIOS.last { $0.versions.lowerBound <= version }?.row
    }

    /// How well the rows know this version.
    public var coverage: Coverage {
        guard family == .iOS else { return .exact }
        guard let last = ProfileRow.versionsOfIOS.last(where: { $0.versions.lowerBound <= version }) else {
            return .none
        }
        return last.versions.contains(version) ? .exact : .older
    }
}

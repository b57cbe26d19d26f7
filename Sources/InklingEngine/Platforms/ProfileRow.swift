/// A family, a range of versions, or a trait of hardware, for which facts are known (`Specs/platforms.md`, rows).
public enum ProfileRow: String, Hashable, Sendable, CaseIterable {
    case iOS = "ios"
    case iOS10 = "ios-10"
    case iOS11 = "ios-11"
    case iOS15 = "ios-15"
    case iOS16 = "ios-16"
    case iOS17_0 = "ios-17.0"
    case iOS17_3 = "ios-17.3"
    case iOS18_0 = "ios-18.0"
    case iOS18_1 = "ios-18.1"
    case iOS18_2 = "ios-18.2"
    case iOS26 = "ios-26"
    case iPhone12 = "iphone-12"
    case iPhone17 = "iphone-17"
    case android
    case androidAware = "android-aware"
    case linux
    case linuxExtended = "linux-extended"
    case linuxLegacy = "linux-legacy"
    case linuxBeacon = "linux-beacon"
    case linuxAware = "linux-aware"

    /// The rows of versions of iOS, the oldest first, with the versions that each covers.
    static let versionsOfIOS: [(row: ProfileRow, versions: ClosedRange<PlatformVersion>)] = [
        (.iOS10, PlatformVersion(10)...PlatformVersion(10, .max, .max)),
        (.iOS11, PlatformVersion(11)...PlatformVersion(14, .max, .max)),
        (.iOS15, PlatformVersion(15)...PlatformVersion(15, .max, .max)),
        (.iOS16, PlatformVersion(16)...PlatformVersion(16, .max, .max)),
        (.iOS17_0, PlatformVersion(17)...PlatformVersion(17, 2, .max)),
        (.iOS17_3, PlatformVersion(17, 3)...PlatformVersion(17, 6, .max)),
        (.iOS18_0, PlatformVersion(18)...PlatformVersion(18, 0, 1)),
        (.iOS18_1, PlatformVersion(18, 1)...PlatformVersion(18, 1, .max)),
        (.iOS18_2, PlatformVersion(18, 2)...PlatformVersion(18, 2, .max)),
        (.iOS26, PlatformVersion(26)...PlatformVersion(26, .max, .max)),
    ]
}

/// A family, a range of versions, or a trait of hardware, for which facts are known (`Specs/platforms.md`, rows).
public enum ProfileRow: String, Hashable, Sendable, CaseIterable {
    /// Every version of iOS and iPadOS.
    case iOS = "ios"
    /// iOS 10.
    case iOS10 = "ios-10"
    /// iOS 11 to 14.
    case iOS11 = "ios-11"
    /// iOS 15.
    case iOS15 = "ios-15"
    /// iOS 16.
    case iOS16 = "ios-16"
    /// iOS 17.0 to 17.2.
    case iOS17_0 = "ios-17.0"
    /// iOS 17.3 to 17.6.
    case iOS17_3 = "ios-17.3"
    /// iOS 18.0 to 18.0.1.
    case iOS18_0 = "ios-18.0"
    /// iOS 18.1.
    case iOS18_1 = "ios-18.1"
    /// iOS 18.2.
    case iOS18_2 = "ios-18.2"
    /// iOS 26.
    case iOS26 = "ios-26"
    /// Hardware: iPhone 12 and later.
    case iPhone12 = "iphone-12"
    /// Hardware: iPhone 17, on which scanning in the background reports nothing (FB20381425).
    case iPhone17 = "iphone-17"
    /// Android with a foreground service.
    case android
    /// Hardware: Wi-Fi Aware with pairing as in version 4.0 of the specification.
    case androidAware = "android-aware"
    /// Linux with BlueZ and a running node.
    case linux
    /// A Linux Bluetooth controller with extended advertising and several advertising sets.
    case linuxExtended = "linux-extended"
    /// A Linux Bluetooth controller with one advertising set.
    case linuxLegacy = "linux-legacy"
    /// A Linux node that only shows a beacon and listens.
    case linuxBeacon = "linux-beacon"
    /// A Linux Wi-Fi driver that reports NAN.
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

internal import InklingWire

/// The entries of an app's Info.plist without which the other arguments for Apple's frameworks have no effect
/// (`Specs/apple.md`).
public enum PropertyList {
    /// `UIBackgroundModes`. Beacon regions need no mode, because the system itself monitors them.
    public static let backgroundModes = ["bluetooth-central", "bluetooth-peripheral"]
    /// `NSBonjourServices`.
    public static let bonjourServices = [BonjourService.type]
    /// The only member of `WiFiAwareServices`; it must contain `Publishable` and `Subscribable`.
    public static let wifiAwareService = WiFiAwareServiceID.inklingName
    /// The keys of the texts that the system shows when it asks for permissions.
    public static let usageDescriptions = [
        "NSBluetoothAlwaysUsageDescription", "NSLocalNetworkUsageDescription",
        "NSLocationAlwaysAndWhenInUseUsageDescription", "NSLocationWhenInUseUsageDescription",
    ]
}

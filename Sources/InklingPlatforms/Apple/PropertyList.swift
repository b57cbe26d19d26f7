internal import InklingSession

/// The entries of an app's Info.plist that the other values of this folder need (`Specs/apple.md`).
public enum PropertyList {
    /// `UIBackgroundModes`. Beacon regions need no mode: the system watches them itself.
    public static let backgroundModes = ["bluetooth-central", "bluetooth-peripheral"]
    /// `NSBonjourServices`.
    public static let bonjourServices = [BonjourService.type]
    /// The one member of `WiFiAwareServices`, with `Publishable` and `Subscribable` in it.
    public static let wifiAwareService = WiFiAwareServiceID.inklingName
    /// The keys whose texts the system shows when it asks for permission.
    public static let usageDescriptions = [
        "NSBluetoothAlwaysUsageDescription", "NSLocalNetworkUsageDescription",
        "NSLocationAlwaysAndWhenInUseUsageDescription", "NSLocationWhenInUseUsageDescription",
    ]
}

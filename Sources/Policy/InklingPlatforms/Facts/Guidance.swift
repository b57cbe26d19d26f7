/// The things that an app on a phone must declare, ask for, tell its user, and may promise (`Specs/platforms.md`,
/// guidance).
public struct Guidance: Hashable, Sendable, Identifiable {
    /// A kind of guidance.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A key of Info.plist; `otherwise` says what happens without it.
        case key
        /// A requirement of an App Store review; `otherwise` says what happens without it.
        case review
        /// A text that the system or the app shows before it asks for a permission.
        case prompt
        /// A step of asking for permissions, in order; `otherwise` says what follows if the user declines.
        case step
        /// A text in the app's settings while something is switched off.
        case banner
        /// A promise for a state of the app; `otherwise` says what cannot be promised.
        case promise
        /// A statement for users.
        case statement
    }

    public let id: String
    /// The kind of guidance, which determines what `otherwise` means.
    public let kind: Kind
    /// The guidance itself, in a phrase or a sentence.
    public let text: String
    /// The consequence of not following the guidance; nil where the source does not say.
    public let otherwise: String?
    /// The source of the guidance.
    public let source: FactSource

    init(_ id: String, _ kind: Kind, _ text: String, otherwise: String? = nil, _ source: FactSource) {
        self.id = id
        self.kind = kind
        self.text = text
        self.otherwise = otherwise
        self.source = source
    }

    /// All guidance, by kind.
    public static let known = keys + reviews + prompts + steps + promises

    private static let keys = [
        Guidance(
            "UIBackgroundModes/bluetooth-central", .key,
            "lets the app scan and keep connections outside the foreground",
            otherwise: "scanning stops and no event is delivered when the app leaves the foreground",
            FactSource(.deepDive, "3 bluetooth-central")),
        Guidance(
            "UIBackgroundModes/bluetooth-peripheral", .key,
            "lets the app advertise and respond to centrals outside the foreground",
            otherwise:
                "advertising stops and connected centrals lose the connection when the app leaves the foreground",
            FactSource(.deepDive, "3 bluetooth-peripheral")),
        Guidance(
            "NSBluetoothAlwaysUsageDescription", .key, "says why the app uses Bluetooth; since iOS 13",
            otherwise: "the app crashes when it creates a Core Bluetooth manager",
            FactSource(.deepDive, "3 NSBluetoothAlwaysUsageDescription")),
        Guidance(
            "NSLocationWhenInUseUsageDescription", .key,
            "says why beacons need location permission, when the app asks for location while in use",
            otherwise: "the app cannot ask for location at all", FactSource(.deepDive, "5 permissions")),
        Guidance(
            "NSLocationAlwaysAndWhenInUseUsageDescription", .key,
            "says why beacons are monitored outside the foreground, when the app asks for location at all times",
            otherwise:
                "the app cannot ask for location at all times, and regions report nothing outside the foreground",
            FactSource(.deepDive, "5 permissions")),
        Guidance(
            "NSLocalNetworkUsageDescription", .key, "says why the app looks for devices on the network; since iOS 14",
            otherwise: "the system's prompt shows no reason", FactSource(.platform, "TN3179")),
        Guidance(
            "NSBonjourServices", .key, "lists the service type for which the app browses; since iOS 14",
            otherwise: "browsing fails", FactSource(.platform, "TN3179")),
    ]

    private static let reviews = [
        Guidance(
            "review/description", .review,
            "the description says why Bluetooth is needed in the background",
            otherwise: "vague descriptions are rejected", FactSource(.deepDive, "3 App Review")),
        Guidance(
            "review/notes", .review,
            "the notes for the review describe the use case: contacts are noticed with phones in pockets",
            otherwise: "background modes without a reason are rejected", FactSource(.deepDive, "3 App Review")),
        Guidance(
            "review/used", .review, "every declared background mode is used in the background",
            otherwise: "the app is flagged, even if an earlier version was accepted",
            FactSource(.deepDive, "3 App Review")),
        Guidance(
            "review/always", .review,
            "the notes say that monitoring beacons in the background requires location at all times",
            otherwise: "reviewers doubt that location at all times is needed",
            FactSource(.deepDive, "5 App Store review")),
        Guidance(
            "review/peripherals", .review, "the notes name the kind of peer and how long it is used",
            otherwise: nil, FactSource(.wearables, "rejection")),
    ]

    private static let prompts = [
        Guidance(
            "prompt/bluetooth", .prompt,
            "Bluetooth lets this app notice when people you have met are near. Continue to allow it.",
            FactSource(.deepDive, "9 permission strategy")),
        Guidance(
            "prompt/location", .prompt,
            "To notice people while the app is not open, iOS asks for your location. The app listens for Bluetooth only; "
                + "no position is read or kept.",
            FactSource(.deepDive, "9 permission strategy")),
        Guidance(
            "banner/location", .banner,
            "People are noticed only while the app is open. Allow location in the settings to change that.",
            FactSource(.deepDive, "9 permission strategy")),
        Guidance(
            "banner/toggle", .banner, "Notice people in the background (requires location permission)",
            FactSource(.deepDive, "9 reduced functionality")),
    ]

    private static let steps = [
        Guidance(
            "step/1", .step, "explain Bluetooth, then create the manager, which makes the system ask",
            otherwise: "nothing can be noticed by radio; the local network and codes remain",
            FactSource(.deepDive, "9 permission strategy")),
        Guidance(
            "step/2", .step, "ask for location when the user switches background detection on, not at launch",
            otherwise: nil, FactSource(.deepDive, "9 permission strategy")),
        Guidance(
            "step/3", .step,
            "ask for location while the app is in use, which must come before asking for it at all times",
            otherwise: "the app works in the foreground, and the settings show the banner",
            FactSource(.deepDive, "5 permissions")),
        Guidance(
            "step/4", .step, "ask for location at all times",
            otherwise: "beacons are noticed in the foreground only, and the settings show the banner",
            FactSource(.deepDive, "5 permissions")),
        Guidance(
            "step/5", .step,
            "pair for Wi-Fi Aware: DeviceDiscoveryUI between apps, AccessorySetupKit with an accessory",
            otherwise: "Wi-Fi Aware is refused", FactSource(.deepDive, "updates Wi-Fi Aware")),
    ]

    private static let promises = [
        Guidance(
            "promise/foreground", .promise,
            "contacts are noticed at once, codes can be exchanged, and messages are delivered",
            FactSource(.deepDive, "9 minimum support")),
        Guidance(
            "promise/background", .promise, "contacts that show a beacon are noticed within 5 to 30 s",
            otherwise: "others are noticed when the system scans, which can take minutes",
            FactSource(.deepDive, "9 minimum support")),
        Guidance(
            "promise/locked", .promise, "as in the background", otherwise: "scanning is slower still",
            FactSource(.deepDive, "9 minimum support")),
        Guidance(
            "promise/suspended", .promise, "as in the background; scan results are reported when the app wakes",
            otherwise: "scans may be minutes late", FactSource(.deepDive, "1 central in background")),
        Guidance(
            "promise/terminated", .promise, "a beacon relaunches the app",
            otherwise: "Bluetooth events may or may not relaunch it", FactSource(.deepDive, "9 minimum support")),
        Guidance(
            "promise/force-quit", .promise, "nothing", otherwise: "no contact is noticed until the app is opened",
            FactSource(.deepDive, "9 test scenarios")),
        Guidance(
            "promise/before-unlock", .promise, "nothing",
            otherwise: "no contact is noticed until the phone is unlocked",
            FactSource(.tn3115, "note 4")),
        Guidance(
            "promise/iphone-17", .promise, "contacts that show a beacon are noticed within 5 to 30 s",
            otherwise: "scanning in the background reports nothing (FB20381425, unresolved in April 2026)",
            FactSource(.deepDive, "updates iPhone 17")),
        Guidance(
            "statement/users", .statement,
            "In the background, people are noticed only if you allow location. It can take a minute, and it never works "
                + "after you have closed the app in the app switcher.",
            FactSource(.deepDive, "9 minimum support")),
    ]
}

/// A list that a source announces but does not give.
public struct SourceGap: Hashable, Sendable {
    /// The place that announces the list.
    public let source: FactSource
    /// The subject of the list.
    public let announced: String

    /// All known gaps.
    public static let known = [
        SourceGap(
            source: FactSource(.wearables, "background modes"), announced: "what the background mode gives an app"),
        SourceGap(
            source: FactSource(.wearables, "background modes"),
            announced: "what the background mode does not give an app"),
        SourceGap(
            source: FactSource(.wearables, "state restoration"),
            announced: "what the dictionary of restored state contains"
        ),
        SourceGap(
            source: FactSource(.wearables, "rejection"), announced: "why reviews reject apps with background modes"
        ),
    ]
}

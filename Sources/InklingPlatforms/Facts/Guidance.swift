/// What an app on a phone must declare, ask, tell and may promise, as data that it can show (`Specs/platforms.md`,
/// guidance).
public struct Guidance: Hashable, Sendable, Identifiable {
    /// What a piece of guidance is for.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A key of Info.plist; `otherwise` is what its absence causes.
        case key
        /// What a review looks for; `otherwise` is what happens without it.
        case review
        /// A text that the system or the app shows before it asks for a permission.
        case prompt
        /// A step of asking for permissions, in order; `otherwise` is what follows when the user declines.
        case step
        /// What the settings say while something is off.
        case banner
        /// What can honestly be promised in a state; `otherwise` is what cannot.
        case promise
        /// What users are told.
        case statement
    }

    public let id: String
    /// What it is for.
    public let kind: Kind
    /// What it says.
    public let text: String
    /// What follows where it is not heeded; nil where nothing is to be said.
    public let otherwise: String?
    /// Who says so.
    public let source: Source

    init(_ id: String, _ kind: Kind, _ text: String, otherwise: String? = nil, _ source: Source) {
        self.id = id
        self.kind = kind
        self.text = text
        self.otherwise = otherwise
        self.source = source
    }

    /// All of it, by kind.
    public static let known = keys + reviews + prompts + steps + promises

    private static let keys = [
        Guidance(
            "UIBackgroundModes/bluetooth-central", .key, "to scan and to keep connections outside the foreground",
            otherwise: "scanning stops and no event is delivered when the app leaves the foreground",
            Source(.deepDive, "3 bluetooth-central")),
        Guidance(
            "UIBackgroundModes/bluetooth-peripheral", .key,
            "to advertise and to answer centrals outside the foreground",
            otherwise:
                "advertising stops and connected centrals lose the connection when the app leaves the foreground",
            Source(.deepDive, "3 bluetooth-peripheral")),
        Guidance(
            "NSBluetoothAlwaysUsageDescription", .key, "why the app uses Bluetooth; since iOS 13",
            otherwise: "the app crashes when it creates a manager of Core Bluetooth",
            Source(.deepDive, "3 NSBluetoothAlwaysUsageDescription")),
        Guidance(
            "NSLocationWhenInUseUsageDescription", .key,
            "why beacons need the permission for location, for the first question",
            otherwise: "location cannot be asked for at all", Source(.deepDive, "5 permissions")),
        Guidance(
            "NSLocationAlwaysAndWhenInUseUsageDescription", .key,
            "why beacons are watched outside the foreground, for the second question",
            otherwise: "always cannot be asked for, and regions tell nothing outside the foreground",
            Source(.deepDive, "5 permissions")),
        Guidance(
            "NSLocalNetworkUsageDescription", .key, "why the app looks for devices on the network; since iOS 14",
            otherwise: "the system's question has no reason in it", Source(.platform, "TN3179")),
        Guidance(
            "NSBonjourServices", .key, "the service type that is browsed for; since iOS 14",
            otherwise: "browsing fails", Source(.platform, "TN3179")),
    ]

    private static let reviews = [
        Guidance(
            "review/description", .review,
            "the description says why Bluetooth is needed in the background, and what for",
            otherwise: "vague descriptions are rejected", Source(.deepDive, "3 App Review")),
        Guidance(
            "review/notes", .review,
            "the notes for the review tell the use case: contacts are noticed with phones in pockets",
            otherwise: "background modes without a reason are rejected", Source(.deepDive, "3 App Review")),
        Guidance(
            "review/used", .review, "every declared background mode is really used in the background",
            otherwise: "the app is flagged, also at an update of one that was accepted before",
            Source(.deepDive, "3 App Review")),
        Guidance(
            "review/always", .review, "the notes say that monitoring of beacons in the background requires always",
            otherwise: "the reviewers doubt that always is needed", Source(.deepDive, "5 App Store review")),
        Guidance(
            "review/peripherals", .review, "the notes name the kind of peer and how long it is used",
            otherwise: nil, Source(.wearables, "rejection")),
    ]

    private static let prompts = [
        Guidance(
            "prompt/bluetooth", .prompt,
            "Bluetooth lets this app notice when people you have met are near. Continue to allow it.",
            Source(.deepDive, "9 permission strategy")),
        Guidance(
            "prompt/location", .prompt,
            "To notice people while the app is not open, iOS asks for your location. The app listens for Bluetooth only; "
                + "no position is read or kept.",
            Source(.deepDive, "9 permission strategy")),
        Guidance(
            "banner/location", .banner,
            "People are noticed only while the app is open. Allow location in the settings to change that.",
            Source(.deepDive, "9 permission strategy")),
        Guidance(
            "banner/toggle", .banner, "Notice people in the background: needs the permission for location",
            Source(.deepDive, "9 reduced functionality")),
    ]

    private static let steps = [
        Guidance(
            "step/1", .step, "explain Bluetooth, then create the manager, which asks",
            otherwise: "nothing can be noticed by radio; the local network and codes remain",
            Source(.deepDive, "9 permission strategy")),
        Guidance(
            "step/2", .step, "do not ask for location at launch, but when the user turns the background on",
            otherwise: nil, Source(.deepDive, "9 permission strategy")),
        Guidance(
            "step/3", .step, "ask for location while the app is used; always cannot be asked for first",
            otherwise: "the foreground works as before, and the settings show the banner",
            Source(.deepDive, "5 permissions")),
        Guidance(
            "step/4", .step, "ask for always",
            otherwise: "beacons are noticed in the foreground only, and the settings show the banner",
            Source(.deepDive, "5 permissions")),
        Guidance(
            "step/5", .step,
            "pair for Wi-Fi Aware: DeviceDiscoveryUI between apps, AccessorySetupKit with an accessory",
            otherwise: "Wi-Fi Aware is refused", Source(.deepDive, "updates Wi-Fi Aware")),
    ]

    private static let promises = [
        Guidance(
            "promise/foreground", .promise, "contacts are noticed at once, codes can be exchanged, messages go through",
            Source(.deepDive, "9 minimum support")),
        Guidance(
            "promise/background", .promise, "contacts that show a beacon are noticed within 5 to 30 s",
            otherwise: "others are noticed now and then, when the system scans", Source(.deepDive, "9 minimum support")),
        Guidance(
            "promise/locked", .promise, "as in the background", otherwise: "scanning is slower still",
            Source(.deepDive, "9 minimum support")),
        Guidance(
            "promise/suspended", .promise, "as in the background; what was scanned arrives at once on waking",
            otherwise: "scans may be minutes late", Source(.deepDive, "1 central in background")),
        Guidance(
            "promise/terminated", .promise, "a beacon starts the app again",
            otherwise: "events of Bluetooth may start it, or not", Source(.deepDive, "9 minimum support")),
        Guidance(
            "promise/force-quit", .promise, "nothing", otherwise: "nobody is noticed until the app is opened",
            Source(.deepDive, "9 test scenarios")),
        Guidance(
            "promise/before-unlock", .promise, "nothing", otherwise: "nobody is noticed until the phone is unlocked",
            Source(.tn3115, "note 4")),
        Guidance(
            "promise/iphone-17", .promise, "contacts that show a beacon are noticed within 5 to 30 s",
            otherwise: "scanning in the background reports nothing (FB20381425, unresolved in April 2026)",
            Source(.deepDive, "updates iPhone 17")),
        Guidance(
            "statement/users", .statement,
            "In the background people are noticed only with the permission for location, which can take a minute, and never "
                + "after you have closed the app in the app switcher.",
            Source(.deepDive, "9 minimum support")),
    ]
}

/// A list that a source announces and leaves empty; nothing is made up for it.
public struct SourceGap: Hashable, Sendable {
    /// Where the list was announced.
    public let source: Source
    /// What the list was to be of.
    public let announced: String

    /// All that were found.
    public static let known = [
        SourceGap(source: Source(.wearables, "background modes"), announced: "what the background mode gives an app"),
        SourceGap(
            source: Source(.wearables, "background modes"), announced: "what the background mode does not give an app"),
        SourceGap(
            source: Source(.wearables, "state restoration"), announced: "what the dictionary of restored state contains"
        ),
        SourceGap(
            source: Source(.wearables, "rejection"), announced: "for what reviews reject apps with background modes"),
    ]
}

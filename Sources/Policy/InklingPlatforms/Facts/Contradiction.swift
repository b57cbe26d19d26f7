/// A set of statements by sources that cannot all be true, and this library's assumption (`Specs/platforms.md`,
/// contradictions).
public struct Contradiction: Hashable, Sendable, Identifiable {
    /// A statement that one or more sources make.
    public struct Statement: Hashable, Sendable {
        /// The sources that make it.
        public let sources: [FactSource]
        /// The statement, in a few words.
        public let text: String

        init(_ text: String, _ sources: FactSource...) {
            self.text = text
            self.sources = sources
        }
    }

    public let id: String
    /// The statements, two or more.
    public let statements: [Statement]
    /// The assumption of this library.
    public let holds: String
    /// The facts that follow from the assumption; empty if it affects only what an app does.
    public let facts: [ProfileFact.ID]

    /// All known contradictions.
    public static let known = ofFacts + ofLifecycle

    private static let ofFacts: [Contradiction] = [
        Contradiction(
            id: "regions-after-force-quit",
            statements: [
                Statement("monitoring is not affected when the user swipes the app away", FactSource(.deepDive, "5")),
                Statement("the system disables it", FactSource(.deepDive, "9 test scenarios")),
            ], holds: "nothing is reported", facts: ["ios/enter/force-quit", "ios/region-relaunch/force-quit"]),
        Contradiction(
            id: "restoration-after-force-quit",
            statements: [
                Statement(
                    "state is preserved when the user ends the app in the app switcher",
                    FactSource(.deepDive, "4 how it works")),
                Statement(
                    "force-quit ends restoration", FactSource(.deepDive, "4 pitfalls"),
                    FactSource(.reconnection, "testing"),
                    FactSource(.tn3115, "table")),
            ], holds: "no restoration", facts: ["ios/relaunch/force-quit"]),
        Contradiction(
            id: "ranging-away",
            statements: [
                Statement("ranging is for the foreground only", FactSource(.deepDive, "5 monitoring and ranging")),
                Statement(
                    "it works in an execution window", FactSource(.publicCode, "ranging in the execution window")),
            ], holds: "only in the window", facts: ["ios/ranging/away"]),
        Contradiction(
            id: "version-after-18",
            statements: [
                Statement("iOS 19, nothing known", FactSource(.deepDive, "2 iOS 19")),
                Statement("it was named iOS 26", FactSource(.deepDive, "updates")),
            ], holds: "26 is the next row; values without a source are those of 18.2",
            facts: ["ios-26/scan/background", "ios-26/callbacks"]),
        Contradiction(
            id: "overflow-invisible",
            statements: [
                Statement("only Apple's devices can read the overflow area", FactSource(.deepDive, "1 overflow area")),
                Statement(
                    "raw advertising data show it to every receiver",
                    FactSource(.publicCode, "captures of the overflow area")),
            ], holds: "a stranger sees it; a Linux node reads it; Android is not expected to",
            facts: ["android/overflow", "linux/overflow"]),
        Contradiction(
            id: "beacon-away",
            statements: [
                Statement(
                    "two phones in the background find each other by beacons", FactSource(.deepDive, "9 test scenarios")
                ),
                Statement(
                    "an app shows a beacon in the foreground only",
                    FactSource(.platform, "CBPeripheralManager.startAdvertising")),
            ], holds: "no beacon in the background", facts: ["ios/beacon/away"]),
        Contradiction(
            id: "beacons-of-others",
            statements: [
                Statement(
                    "a beacon is 'iOS advertising', and not cross-platform",
                    FactSource(.deepDive, "10 known contact, background")),
                Statement(
                    "a beacon is the wake trigger between iOS and Android",
                    FactSource(.deepDive, "10 iOS-to-Android passive discovery")),
                Statement(
                    "Android and BlueZ advertise manufacturer data of any company",
                    FactSource(.platform, "AdvertiseData.Builder.addManufacturerData"),
                    FactSource(.platform, "LEAdvertisement1.ManufacturerData")),
            ], holds: "Android and Linux show beacons",
            facts: ["android/beacon", "linux/beacon/extended", "linux/beacon/legacy", "linux/beacon/only"]),
        Contradiction(
            id: "wifi-direct-with-ios",
            statements: [
                Statement("Wi-Fi Direct is cross-platform", FactSource(.deepDive, "10 bulk sync")),
                Statement("Wi-Fi Direct is Android's", FactSource(.deepDive, "8 conclusion")),
            ], holds: "only Android has it", facts: ["android/direct"]),
        Contradiction(
            id: "reconnection-time",
            statements: [
                Statement("connected again within 10 s", FactSource(.reconnection, "testing")),
                Statement("30 s to several minutes in the background", FactSource(.wearables, "reconnection")),
            ], holds: "30 s to 5 minutes in the background", facts: ["ios/connect/away"]),
        Contradiction(
            id: "multipeer-range",
            statements: [
                Statement("about 2 m with iOS 18", FactSource(.deepDive, "7 stability regression")),
                Statement("1 to 2 m with iOS 18", FactSource(.deepDive, "6 Multipeer in iOS 18")),
            ], holds: "1 m", facts: ["ios-18.0/multipeer"]),
        Contradiction(
            id: "cutoff-without-connections",
            statements: [
                Statement(
                    "scanning continues in the background", FactSource(.deepDive, "3 background modes"),
                    FactSource(.reconnection, "background execution")),
                Statement(
                    "with iOS 18.0 it ends after about 5 minutes when no connection is active",
                    FactSource(.deepDive, "2 iOS 18.0–18.0.1")),
            ], holds: "5 minutes, with or without a connection", facts: ["ios-18.0/callbacks"]),
        Contradiction(
            id: "regions-in-low-power",
            statements: [
                Statement(
                    "the detection of beacons has no reduced duty cycle",
                    FactSource(.deepDive, "5 why this works differently")),
                Statement("all callbacks are delayed further", FactSource(.deepDive, "9 test scenarios")),
                Statement("beacons are less affected", FactSource(.deepDive, "10 low battery")),
            ], holds: "the worst entry and exit are twice as late",
            facts: ["ios/enter/low-power", "ios/exit/low-power"]),
    ]
}

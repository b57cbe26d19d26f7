/// Statements of sources that cannot all be true, and which of them is taken: the pessimistic one
/// (`Specs/platforms.md`, contradictions).
public struct Contradiction: Hashable, Sendable, Identifiable {
    /// What a source says.
    public struct Statement: Hashable, Sendable {
        /// Who says it.
        public let sources: [Source]
        /// What they say, in a few words.
        public let text: String

        init(_ text: String, _ sources: Source...) {
            self.text = text
            self.sources = sources
        }
    }

    public let id: String
    /// What the sources say, two or more.
    public let statements: [Statement]
    /// What this library goes by.
    public let holds: String
    /// The facts in which it shows; none where it shows in what an app does.
    public let facts: [ProfileFact.ID]

    /// All that were found.
    public static let known = ofFacts + ofLifecycle

    private static let ofFacts: [Contradiction] = [
        Contradiction(
            id: "regions-after-force-quit",
            statements: [
                Statement("monitoring is not affected when the user swipes the app away", Source(.deepDive, "5")),
                Statement("the system disables it", Source(.deepDive, "9 test scenarios")),
            ], holds: "nothing is told", facts: ["ios/enter/force-quit", "ios/region-relaunch/force-quit"]),
        Contradiction(
            id: "restoration-after-force-quit",
            statements: [
                Statement(
                    "state is preserved when the user ends the app in the app switcher",
                    Source(.deepDive, "4 how it works")),
                Statement(
                    "force-quit ends restoration", Source(.deepDive, "4 pitfalls"), Source(.reconnection, "testing"),
                    Source(.tn3115, "table")),
            ], holds: "no restoration", facts: ["ios/relaunch/force-quit"]),
        Contradiction(
            id: "ranging-away",
            statements: [
                Statement("ranging is for the foreground only", Source(.deepDive, "5 monitoring and ranging")),
                Statement("it works in an execution window", Source(.measured, "ranging in the execution window")),
            ], holds: "only in the window", facts: ["ios/ranging/away"]),
        Contradiction(
            id: "version-after-18",
            statements: [
                Statement("iOS 19, nothing known", Source(.deepDive, "2 iOS 19")),
                Statement("it was named iOS 26", Source(.deepDive, "updates")),
            ], holds: "26 is the next row; what nobody measured is taken from 18.2",
            facts: ["ios-26/scan/background", "ios-26/callbacks"]),
        Contradiction(
            id: "overflow-invisible",
            statements: [
                Statement("only Apple's devices can read the overflow area", Source(.deepDive, "1 overflow area")),
                Statement(
                    "raw advertising data show it to everybody", Source(.measured, "captures of the overflow area")),
            ], holds: "a stranger sees it; a Linux node reads it, Android is not counted on",
            facts: ["android/overflow", "linux/overflow"]),
        Contradiction(
            id: "beacon-away",
            statements: [
                Statement(
                    "two phones in the background find each other by beacons", Source(.deepDive, "9 test scenarios")),
                Statement(
                    "an app shows a beacon in the foreground only", Source(.measured, "beacons need the foreground"),
                    Source(.platform, "CBPeripheralManager.startAdvertising")),
            ], holds: "no beacon in the background", facts: ["ios/beacon/away"]),
    ]
}

extension ProfileFact {
    /// The facts about scanning on iOS.
    static let iOSScanning: [ProfileFact] = [
        ProfileFact(
            "ios/scan/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .scan, .milliseconds(30, 100), FactSource(.deepDive, "1 duty cycle"), .reported),
        ProfileFact(
            "ios/duplicates/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .duplicates, .yes, FactSource(.reconnection, "background execution"), .documented),
        ProfileFact(
            "ios/duplicates/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .duplicates, .no, FactSource(.reconnection, "background execution"),
            .documented),
        ProfileFact(
            "ios-10/scan/background", [.iOS10, .iOS11], [.background, .locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(300, 5000), FactSource(.deepDive, "1 duty cycle"),
            .reported),
        ProfileFact(
            "ios-15/scan/background", [.iOS15], [.background, .locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(2000, 5000), FactSource(.deepDive, "2 iOS 15.x"),
            .reported),
        ProfileFact(
            "ios-16/scan/background", [.iOS16], [.background, .locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(2000, 5000), FactSource(.deepDive, "2 iOS 16.x"),
            .reported),
        ProfileFact(
            "ios-17.0/scan/background", [.iOS17_0], [.background, .locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(2000, 60_000), FactSource(.deepDive, "2 iOS 17.0–17.2"),
            .assumed),
        ProfileFact(
            "ios-17.3/scan/background", [.iOS17_3], [.background, .locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(2000, 5000), FactSource(.deepDive, "2 iOS 17.3–17.6"),
            .reported),
        ProfileFact(
            "ios-18.0/scan/background", [.iOS18_0], [.background, .locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(30_000, 60_000),
            FactSource(.deepDive, "2 iOS 18.0–18.0.1"),
            .reported),
        ProfileFact(
            "ios-18.1/scan/background", [.iOS18_1], [.background, .locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(5000, 60_000), FactSource(.deepDive, "2 iOS 18.1"),
            .assumed),
        ProfileFact(
            "ios-18.2/scan/background", [.iOS18_2], [.background, .locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(2000, 5000), FactSource(.deepDive, "2 iOS 18.2"),
            .reported),
        ProfileFact(
            "ios-26/scan/background", [.iOS26], [.background, .locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(2000, 5000), FactSource(.deepDive, "2 iOS 19"), .assumed
        ),
        ProfileFact(
            "ios/scan/locked", [.iOS], [.locked],
            needs: [.bluetooth, .central], .scan, .milliseconds(5000, 60_000), FactSource(.deepDive, "1 duty cycle"),
            .reported),
        ProfileFact(
            "ios/scan/suspended", [.iOS], [.suspended],
            needs: [.bluetooth, .central], .scan, .milliseconds(60_000, 180_000),
            FactSource(.deepDive, "6 scan delivery gaps"),
            .reported),
        ProfileFact(
            "ios/scan/low-power", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .central, .lowPower], .scan, .milliseconds(20_000, 600_000),
            FactSource(.deepDive, "1 duty cycle"),
            .assumed),
        ProfileFact(
            "iphone-17/scan/away", [.iPhone17], [.background, .locked, .suspended],
            needs: [.bluetooth], .scan, .no, FactSource(.deepDive, "2 iPhone 17"), .reported),
        ProfileFact(
            "ios/prompt/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .prompt, .yes, FactSource(.deepDive, "1 central in background"), .reported),
        ProfileFact(
            "ios/prompt/background", [.iOS], [.background, .locked],
            needs: [.bluetooth, .central], .prompt, .yes, FactSource(.deepDive, "1 central in background"), .reported),
        ProfileFact(
            "ios/prompt/suspended", [.iOS], [.suspended],
            needs: [.bluetooth, .central], .prompt, .no, FactSource(.deepDive, "1 central in background"), .reported),
        ProfileFact(
            "ios/overflow/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .overflow, .yes, FactSource(.deepDive, "1 overflow area"), .documented),
        ProfileFact(
            "ios/overflow/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .overflow, .yes, FactSource(.deepDive, "1 overflow area"), .reported),
        ProfileFact(
            "ios-10/callbacks", [.iOS10, .iOS11, .iOS15, .iOS16], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .callbacks, .yes, FactSource(.deepDive, "2 iOS 15.x"), .reported),
        ProfileFact(
            "ios-17.0/callbacks", [.iOS17_0], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .callbacks, .milliseconds(600_000, 600_000),
            FactSource(.deepDive, "2 iOS 17.0–17.2"),
            .reported),
        ProfileFact(
            "ios-17.3/callbacks", [.iOS17_3], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .callbacks, .yes, FactSource(.deepDive, "2 iOS 17.3–17.6"), .reported),
        ProfileFact(
            "ios-18.0/callbacks", [.iOS18_0], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .callbacks, .milliseconds(300_000, 300_000),
            FactSource(.deepDive, "2 iOS 18.0–18.0.1"), .reported),
        ProfileFact(
            "ios-18.1/callbacks", [.iOS18_1], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .callbacks, .milliseconds(600_000, 600_000),
            FactSource(.deepDive, "2 iOS 18.1"),
            .reported),
        ProfileFact(
            "ios-18.2/callbacks", [.iOS18_2], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .callbacks, .yes, FactSource(.deepDive, "2 iOS 18.2"), .reported),
        ProfileFact(
            "ios-26/callbacks", [.iOS26], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .callbacks, .yes, FactSource(.deepDive, "2 iOS 19"), .assumed),
        ProfileFact(
            "ios/callbacks/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .callbacks, .yes, FactSource(.deepDive, "2 reference table"), .reported),
        ProfileFact(
            "ios/gap", [.iOS], [.background],
            needs: [.bluetooth, .central], .gap, .milliseconds(1000, 2000), FactSource(.deepDive, "2 iOS 15.x"),
            .reported),
    ]
}

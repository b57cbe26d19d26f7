extension ProfileFact {
    /// The facts about apps on iOS, except those about scanning.
    static let iOS: [ProfileFact] = [
        ProfileFact(
            "ios/advertise/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .advertise, .yes, FactSource(.deepDive, "1 peripheral in background"), .documented),
        ProfileFact(
            "ios/advertise/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .peripheral], .advertise, .overflow,
            FactSource(.deepDive, "1 peripheral in background"),
            .documented),
        ProfileFact(
            "ios/beacon/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .beacon, .yes, FactSource(.platform, "CBPeripheralManager.startAdvertising"),
            .documented),
        ProfileFact(
            "ios/beacon/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .peripheral], .beacon, .no,
            FactSource(.platform, "CBPeripheralManager.startAdvertising"),
            .disputed),
        ProfileFact(
            "ios/enter/in-use", [.iOS], [.foreground],
            needs: [.bluetooth, .whenInUse], .enter, .milliseconds(5000, 30_000), FactSource(.deepDive, "5 latency"),
            .reported),
        ProfileFact(
            "ios/enter/always", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.bluetooth, .always], .enter, .milliseconds(5000, 30_000), FactSource(.deepDive, "5 latency"),
            .reported),
        ProfileFact(
            "ios/enter/force-quit", [.iOS], [.forceQuit],
            needs: [.always], .enter, .no, FactSource(.deepDive, "9 test scenarios"), .disputed),
        ProfileFact(
            "ios/enter/before-unlock", [.iOS], [.beforeUnlock],
            needs: [.always], .enter, .no, FactSource(.tn3115, "note 4"), .assumed),
        ProfileFact(
            "ios/enter/low-power", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.bluetooth, .always, .lowPower], .enter, .milliseconds(5000, 60_000),
            FactSource(.deepDive, "9 minimum support"), .assumed),
        ProfileFact(
            "ios/exit/in-use", [.iOS], [.foreground],
            needs: [.bluetooth, .whenInUse], .exit, .milliseconds(20_000, 60_000), FactSource(.deepDive, "5 latency"),
            .reported),
        ProfileFact(
            "ios/exit/always", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.bluetooth, .always], .exit, .milliseconds(20_000, 60_000), FactSource(.deepDive, "5 latency"),
            .reported),
        ProfileFact(
            "ios/exit/low-power", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.bluetooth, .always, .lowPower], .exit, .milliseconds(20_000, 120_000),
            FactSource(.deepDive, "9 test scenarios"), .assumed),
        ProfileFact(
            "ios/ranging/foreground", [.iOS], [.foreground],
            needs: [.bluetooth, .whenInUse], .ranging, .yes, FactSource(.deepDive, "5 monitoring and ranging"),
            .documented),
        ProfileFact(
            "ios/ranging/away", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.bluetooth, .always], .ranging, .window, FactSource(.publicCode, "ranging in the execution window"),
            .disputed),
        ProfileFact(
            "ios/links/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .links, .yes, FactSource(.deepDive, "3 background modes"), .documented),
        ProfileFact(
            "ios/links/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .links, .yes, FactSource(.deepDive, "3 background modes"), .documented),
        ProfileFact(
            "ios/links/away-peripheral", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .peripheral], .links, .yes, FactSource(.deepDive, "3 background modes"), .documented),
        ProfileFact(
            "ios/links/terminated", [.iOS], [.terminated, .forceQuit, .beforeUnlock],
            needs: [.bluetooth], .links, .no, FactSource(.reconnection, "background execution"), .documented),
        ProfileFact(
            "ios/connect/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .connect, .milliseconds(200, 2000), FactSource(.wearables, "reconnection"), .assumed),
        ProfileFact(
            "ios/connect/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .connect, .milliseconds(30_000, 300_000),
            FactSource(.wearables, "reconnection"),
            .reported),
        ProfileFact(
            "ios/relaunch/terminated", [.iOS], [.terminated],
            needs: [.bluetooth, .central], .relaunch, .yes, FactSource(.tn3115, "app removed from memory"), .documented),
        ProfileFact(
            "ios/relaunch/force-quit", [.iOS], [.forceQuit],
            needs: [.bluetooth], .relaunch, .no, FactSource(.tn3115, "app force quit"), .documented),
        ProfileFact(
            "ios/relaunch/before-unlock", [.iOS], [.beforeUnlock],
            needs: [.bluetooth], .relaunch, .no, FactSource(.tn3115, "note 4"), .documented),
        ProfileFact(
            "ios/restart-advertising", [.iOS], [.terminated],
            needs: [.bluetooth, .peripheral], .restartAdvertising, .yes, FactSource(.tn3115, "actively advertising"),
            .documented),
        ProfileFact(
            "ios-18.0/restart-advertising", [.iOS18_0], [.terminated],
            needs: [.bluetooth, .peripheral], .restartAdvertising, .no, FactSource(.deepDive, "2 iOS 18.0–18.0.1"),
            .reported),
        ProfileFact(
            "ios/region-relaunch/terminated", [.iOS], [.terminated],
            needs: [.bluetooth, .always], .regionRelaunch, .yes, FactSource(.deepDive, "5 app relaunch"), .reported),
        ProfileFact(
            "ios/region-relaunch/force-quit", [.iOS], [.forceQuit],
            needs: [.always], .regionRelaunch, .no, FactSource(.deepDive, "9 test scenarios"), .disputed),
        ProfileFact(
            "ios/find/foreground", [.iOS], [.foreground],
            needs: [.localNetwork], .find, .yes, FactSource(.deepDive, "8 background behaviour"), .documented),
        ProfileFact(
            "ios/find/away", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.localNetwork], .find, .no, FactSource(.deepDive, "8 background behaviour"), .documented),
        ProfileFact(
            "ios/network-links/foreground", [.iOS], [.foreground],
            needs: [.localNetwork], .networkLinks, .yes, FactSource(.deepDive, "8 background behaviour"), .documented),
        ProfileFact(
            "ios/network-links/background", [.iOS], [.background, .locked],
            needs: [.localNetwork], .networkLinks, .yes, FactSource(.deepDive, "8 background behaviour"), .reported),
        ProfileFact(
            "ios/awdl/foreground", [.iOS], [.foreground],
            needs: [.localNetwork], .awdl, .yes, FactSource(.deepDive, "8 overview"), .documented),
        ProfileFact(
            "ios-26/aware", [.iPhone12], [.foreground],
            needs: [.localNetwork], .aware, .yes, FactSource(.deepDive, "updates Wi-Fi Aware"), .documented),
        ProfileFact(
            "ios-26/aware/older", [.iOS10, .iOS11, .iOS15, .iOS16, .iOS17_0, .iOS17_3, .iOS18_0, .iOS18_1, .iOS18_2],
            [.foreground],
            needs: [.localNetwork], .aware, .no, FactSource(.deepDive, "updates Wi-Fi Aware"), .documented),
        ProfileFact(
            "ios/multipeer", [.iOS10, .iOS11, .iOS15, .iOS16, .iOS17_0, .iOS17_3], [.foreground],
            needs: [.localNetwork], .multipeer, .metres(5), FactSource(.deepDive, "7 stability regression"),
            .reported),
        ProfileFact(
            "ios-18.0/multipeer", [.iOS18_0, .iOS18_1, .iOS18_2, .iOS26], [.foreground],
            needs: [.localNetwork], .multipeer, .metres(1), FactSource(.deepDive, "6 Multipeer in iOS 18"),
            .disputed),
        ProfileFact(
            "ios/exchange", [.iOS], [.foreground],
            needs: [], .exchange, .yes, FactSource(.deepDive, "9 minimum support"), .reported),
        ProfileFact(
            "ios/bluetooth-range", [.iOS], [.foreground, .background, .locked, .suspended],
            needs: [.bluetooth], .bluetoothRange, .metres(10), FactSource(.deepDive, "8 comparison, range"), .reported),
        ProfileFact(
            "ios/awdl-range", [.iOS], [.foreground],
            needs: [.localNetwork], .awdlRange, .metres(10), FactSource(.deepDive, "8 comparison, range"), .reported),
    ]
}

extension ProfileFact {
    /// What apps on phones show, keep, and are woken for.
    static let iOS: [ProfileFact] = [
        ProfileFact(
            "ios/advertise/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .advertise, .yes, Source(.deepDive, "1 peripheral in background"), .documented),
        ProfileFact(
            "ios/advertise/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .peripheral], .advertise, .overflow, Source(.deepDive, "1 peripheral in background"),
            .documented),
        ProfileFact(
            "ios/beacon/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .beacon, .yes, Source(.platform, "CBPeripheralManager.startAdvertising"), .documented),
        ProfileFact(
            "ios/beacon/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .peripheral], .beacon, .no, Source(.measured, "beacons need the foreground"), .disputed),
        ProfileFact(
            "ios/enter/in-use", [.iOS], [.foreground],
            needs: [.bluetooth, .whenInUse], .enter, .within(5000, 30_000), Source(.deepDive, "5 latency"), .reported),
        ProfileFact(
            "ios/enter/always", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.bluetooth, .always], .enter, .within(5000, 30_000), Source(.deepDive, "5 latency"), .reported),
        ProfileFact(
            "ios/enter/force-quit", [.iOS], [.forceQuit],
            needs: [.always], .enter, .no, Source(.deepDive, "9 test scenarios"), .disputed),
        ProfileFact(
            "ios/enter/before-unlock", [.iOS], [.beforeUnlock],
            needs: [.always], .enter, .no, Source(.tn3115, "note 4"), .assumed),
        ProfileFact(
            "ios/enter/low-power", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.bluetooth, .always, .lowPower], .enter, .within(5000, 60_000),
            Source(.deepDive, "9 minimum support"), .assumed),
        ProfileFact(
            "ios/exit/in-use", [.iOS], [.foreground],
            needs: [.bluetooth, .whenInUse], .exit, .within(20_000, 60_000), Source(.deepDive, "5 latency"), .reported),
        ProfileFact(
            "ios/exit/always", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.bluetooth, .always], .exit, .within(20_000, 60_000), Source(.deepDive, "5 latency"), .reported),
        ProfileFact(
            "ios/ranging/foreground", [.iOS], [.foreground],
            needs: [.bluetooth, .whenInUse], .ranging, .yes, Source(.deepDive, "5 monitoring and ranging"), .documented),
        ProfileFact(
            "ios/ranging/away", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.bluetooth, .always], .ranging, .window, Source(.measured, "ranging in the execution window"),
            .disputed),
        ProfileFact(
            "ios/links/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .links, .yes, Source(.deepDive, "3 background modes"), .documented),
        ProfileFact(
            "ios/links/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .links, .yes, Source(.deepDive, "3 background modes"), .documented),
        ProfileFact(
            "ios/links/away-peripheral", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .peripheral], .links, .yes, Source(.deepDive, "3 background modes"), .documented),
        ProfileFact(
            "ios/links/terminated", [.iOS], [.terminated, .forceQuit, .beforeUnlock],
            needs: [.bluetooth], .links, .no, Source(.reconnection, "background execution"), .documented),
        ProfileFact(
            "ios/connect/foreground", [.iOS], [.foreground],
            needs: [.bluetooth], .connect, .within(200, 2000), Source(.wearables, "reconnection"), .assumed),
        ProfileFact(
            "ios/connect/away", [.iOS], [.background, .locked, .suspended],
            needs: [.bluetooth, .central], .connect, .within(30_000, 300_000), Source(.wearables, "reconnection"),
            .reported),
        ProfileFact(
            "ios/relaunch/terminated", [.iOS], [.terminated],
            needs: [.bluetooth, .central], .relaunch, .yes, Source(.tn3115, "app removed from memory"), .documented),
        ProfileFact(
            "ios/relaunch/force-quit", [.iOS], [.forceQuit],
            needs: [.bluetooth], .relaunch, .no, Source(.tn3115, "app force quit"), .documented),
        ProfileFact(
            "ios/relaunch/before-unlock", [.iOS], [.beforeUnlock],
            needs: [.bluetooth], .relaunch, .no, Source(.tn3115, "note 4"), .documented),
        ProfileFact(
            "ios/restart-advertising", [.iOS], [.terminated],
            needs: [.bluetooth, .peripheral], .restartAdvertising, .yes, Source(.tn3115, "actively advertising"),
            .documented),
        ProfileFact(
            "ios-18.0/restart-advertising", [.iOS18_0], [.terminated],
            needs: [.bluetooth, .peripheral], .restartAdvertising, .no, Source(.deepDive, "2 iOS 18.0–18.0.1"),
            .reported),
        ProfileFact(
            "ios/region-relaunch/terminated", [.iOS], [.terminated],
            needs: [.bluetooth, .always], .regionRelaunch, .yes, Source(.deepDive, "5 app relaunch"), .reported),
        ProfileFact(
            "ios/region-relaunch/force-quit", [.iOS], [.forceQuit],
            needs: [.always], .regionRelaunch, .no, Source(.deepDive, "9 test scenarios"), .disputed),
        ProfileFact(
            "ios/find/foreground", [.iOS], [.foreground],
            needs: [.localNetwork], .find, .yes, Source(.deepDive, "8 background behaviour"), .documented),
        ProfileFact(
            "ios/find/away", [.iOS], [.background, .locked, .suspended, .terminated],
            needs: [.localNetwork], .find, .no, Source(.deepDive, "8 background behaviour"), .documented),
        ProfileFact(
            "ios/network-links/foreground", [.iOS], [.foreground],
            needs: [.localNetwork], .networkLinks, .yes, Source(.deepDive, "8 background behaviour"), .documented),
        ProfileFact(
            "ios/network-links/background", [.iOS], [.background, .locked],
            needs: [.localNetwork], .networkLinks, .yes, Source(.deepDive, "8 background behaviour"), .reported),
        ProfileFact(
            "ios/awdl/foreground", [.iOS], [.foreground],
            needs: [.localNetwork], .awdl, .yes, Source(.deepDive, "8 overview"), .documented),
        ProfileFact(
            "ios-26/aware", [.iPhone12], [.foreground],
            needs: [.localNetwork], .aware, .yes, Source(.deepDive, "updates Wi-Fi Aware"), .documented),
        ProfileFact(
            "ios-26/aware/older", [.iOS10, .iOS11, .iOS15, .iOS16, .iOS17_0, .iOS17_3, .iOS18_0, .iOS18_1, .iOS18_2],
            [.foreground],
            needs: [.localNetwork], .aware, .no, Source(.deepDive, "updates Wi-Fi Aware"), .documented),
        ProfileFact(
            "ios/multipeer", [.iOS10, .iOS11, .iOS15, .iOS16, .iOS17_0, .iOS17_3], [.foreground],
            needs: [.localNetwork], .multipeer, .metres(10), Source(.deepDive, "7 stability regression"), .reported),
        ProfileFact(
            "ios-18.0/multipeer", [.iOS18_0, .iOS18_1, .iOS18_2, .iOS26], [.foreground],
            needs: [.localNetwork], .multipeer, .metres(2), Source(.deepDive, "7 stability regression"), .reported),
        ProfileFact(
            "ios/exchange", [.iOS], [.foreground],
            needs: [], .exchange, .yes, Source(.deepDive, "9 minimum support"), .reported),
    ]
}

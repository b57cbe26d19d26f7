extension ProfileFact {
    /// The facts about Android and Linux.
    static let others: [ProfileFact] = [
        ProfileFact(
            "android/scan", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .scan, .milliseconds(100, 1000), FactSource(.deepDive, "1 iOS and Android"), .assumed),
        ProfileFact(
            "android/duplicates", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .duplicates, .yes, FactSource(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/prompt", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .prompt, .yes, FactSource(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/scan/low-power", [.android], [.background, .locked],
            needs: [.bluetooth, .lowPower], .scan, .milliseconds(1000, 10_000),
            FactSource(.deepDive, "9 test scenarios"),
            .assumed),
        ProfileFact(
            "android/callbacks", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .callbacks, .yes, FactSource(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/overflow", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .overflow, .no, FactSource(.deepDive, "1 overflow area"), .disputed),
        ProfileFact(
            "android/advertise", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .advertise, .yes, FactSource(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/beacon", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .beacon, .yes, FactSource(.platform, "AdvertiseData.Builder.addManufacturerData"),
            .documented),
        ProfileFact(
            "android/links", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .links, .yes, FactSource(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/connect", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .connect, .milliseconds(200, 2000), FactSource(.deepDive, "1 iOS and Android"),
            .assumed),
        ProfileFact(
            "android/find", [.android], [.foreground, .background, .locked],
            needs: [.localNetwork], .find, .yes, FactSource(.deepDive, "8 cross-platform"), .documented),
        ProfileFact(
            "android/network-links", [.android], [.foreground, .background, .locked],
            needs: [.localNetwork], .networkLinks, .yes, FactSource(.deepDive, "8 cross-platform"), .reported),
        ProfileFact(
            "android/direct", [.android], [.foreground],
            needs: [.localNetwork], .direct, .yes, FactSource(.deepDive, "10 bulk sync"), .reported),
        ProfileFact(
            "android/aware", [.androidAware], [.foreground],
            needs: [.localNetwork], .aware, .yes, FactSource(.deepDive, "updates Wi-Fi Aware"), .reported),
        ProfileFact(
            "android/exchange", [.android], [.foreground],
            needs: [], .exchange, .yes, FactSource(.deepDive, "9 minimum support"), .reported),
        ProfileFact(
            "linux/scan", [.linux], [.foreground],
            needs: [.bluetooth], .scan, .milliseconds(30, 1000), FactSource(.platform, "AdvertisementMonitor1"),
            .assumed),
        ProfileFact(
            "linux/duplicates", [.linux], [.foreground],
            needs: [.bluetooth], .duplicates, .yes, FactSource(.platform, "Adapter1.SetDiscoveryFilter, DuplicateData"),
            .documented),
        ProfileFact(
            "linux/prompt", [.linux], [.foreground],
            needs: [.bluetooth], .prompt, .yes, FactSource(.platform, "Device1"),
            .assumed),
        ProfileFact(
            "linux/callbacks", [.linux], [.foreground],
            needs: [.bluetooth], .callbacks, .yes, FactSource(.platform, "Adapter1.StartDiscovery"),
            .assumed),
        ProfileFact(
            "linux/overflow", [.linux], [.foreground],
            needs: [.bluetooth], .overflow, .yes, FactSource(.measured, "Tests/Rigs/radio"),
            .measured),
        ProfileFact(
            "linux/advertise/extended", [.linuxExtended], [.foreground],
            needs: [.bluetooth], .advertise, .yes, FactSource(.measured, "Tests/Rigs/radio"),
            .measured),
        ProfileFact(
            "linux/advertise/legacy", [.linuxLegacy], [.foreground],
            needs: [.bluetooth], .advertise, .yes, FactSource(.platform, "LEAdvertisingManager1"),
            .documented),
        ProfileFact(
            "linux/beacon/extended", [.linuxExtended], [.foreground],
            needs: [.bluetooth], .beacon, .yes, FactSource(.measured, "Tests/Rigs/radio"),
            .measured),
        ProfileFact(
            "linux/beacon/legacy", [.linuxLegacy], [.foreground],
            needs: [.bluetooth], .beacon, .yes, FactSource(.measured, "Tests/Rigs/radio"),
            .measured),
        ProfileFact(
            "linux/beacon/only", [.linuxBeacon], [.foreground],
            needs: [.bluetooth], .beacon, .yes, FactSource(.measured, "Tests/Rigs/radio"),
            .measured),
        ProfileFact(
            "linux/links/extended", [.linuxExtended], [.foreground],
            needs: [.bluetooth], .links, .yes, FactSource(.measured, "Tests/Rigs/radio"),
            .measured),
        ProfileFact(
            "linux/links/legacy", [.linuxLegacy], [.foreground],
            needs: [.bluetooth], .links, .yes, FactSource(.platform, "GattManager1"),
            .assumed),
        ProfileFact(
            "linux/connect", [.linuxExtended, .linuxLegacy], [.foreground],
            needs: [.bluetooth], .connect, .milliseconds(200, 2000), FactSource(.platform, "Device1.Connect"),
            .assumed),
        ProfileFact(
            "linux/find", [.linux], [.foreground],
            needs: [.localNetwork], .find, .yes, FactSource(.measured, "Tests/Rigs/network"),
            .measured),
        ProfileFact(
            "linux/network-links", [.linux], [.foreground],
            needs: [.localNetwork], .networkLinks, .yes, FactSource(.measured, "Tests/Rigs/demo"),
            .measured),
        ProfileFact(
            "linux/aware", [.linuxAware], [.foreground],
            needs: [.localNetwork], .aware, .yes, FactSource(.platform, "nl80211"), .documented),
        ProfileFact(
            "linux/exchange", [.linux], [.foreground],
            needs: [], .exchange, .yes, FactSource(.deepDive, "9 minimum support"),
            .assumed),
    ]
}

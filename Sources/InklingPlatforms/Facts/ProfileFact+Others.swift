extension ProfileFact {
    /// What Android and Linux let a node do.
    static let others: [ProfileFact] = [
        ProfileFact(
            "android/scan", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .scan, .within(100, 1000), Source(.deepDive, "1 iOS and Android"), .assumed),
        ProfileFact(
            "android/duplicates", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .duplicates, .yes, Source(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/prompt", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .prompt, .yes, Source(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/scan/low-power", [.android], [.background, .locked],
            needs: [.bluetooth, .lowPower], .scan, .within(1000, 10_000), Source(.deepDive, "9 test scenarios"),
            .assumed),
        ProfileFact(
            "android/callbacks", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .callbacks, .yes, Source(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/overflow", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .overflow, .no, Source(.deepDive, "1 overflow area"), .disputed),
        ProfileFact(
            "android/advertise", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .advertise, .yes, Source(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/beacon", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .beacon, .yes, Source(.measured, "always-on beacons"), .reported),
        ProfileFact(
            "android/links", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .links, .yes, Source(.deepDive, "1 iOS and Android"), .reported),
        ProfileFact(
            "android/connect", [.android], [.foreground, .background, .locked],
            needs: [.bluetooth], .connect, .within(200, 2000), Source(.deepDive, "1 iOS and Android"), .assumed),
        ProfileFact(
            "android/find", [.android], [.foreground, .background, .locked],
            needs: [.localNetwork], .find, .yes, Source(.deepDive, "8 cross-platform"), .documented),
        ProfileFact(
            "android/network-links", [.android], [.foreground, .background, .locked],
            needs: [.localNetwork], .networkLinks, .yes, Source(.deepDive, "8 cross-platform"), .reported),
        ProfileFact(
            "android/direct", [.android], [.foreground],
            needs: [.localNetwork], .direct, .yes, Source(.deepDive, "10 bulk sync"), .reported),
        ProfileFact(
            "android/aware", [.androidAware], [.foreground],
            needs: [.localNetwork], .aware, .yes, Source(.deepDive, "updates Wi-Fi Aware"), .reported),
        ProfileFact(
            "android/exchange", [.android], [.foreground],
            needs: [], .exchange, .yes, Source(.deepDive, "9 minimum support"), .reported),
        ProfileFact(
            "linux/scan", [.linux], [.foreground],
            needs: [.bluetooth], .scan, .within(30, 1000), Source(.measured, "passive scanning"), .assumed),
        ProfileFact(
            "linux/duplicates", [.linux], [.foreground],
            needs: [.bluetooth], .duplicates, .yes, Source(.measured, "passive scanning"), .measured),
        ProfileFact(
            "linux/prompt", [.linux], [.foreground],
            needs: [.bluetooth], .prompt, .yes, Source(.measured, "passive scanning"), .measured),
        ProfileFact(
            "linux/callbacks", [.linux], [.foreground],
            needs: [.bluetooth], .callbacks, .yes, Source(.measured, "passive scanning"), .measured),
        ProfileFact(
            "linux/overflow", [.linux], [.foreground],
            needs: [.bluetooth], .overflow, .yes, Source(.measured, "captures of the overflow area"), .measured),
        ProfileFact(
            "linux/advertise", [.linuxExtended, .linuxLegacy], [.foreground],
            needs: [.bluetooth], .advertise, .yes, Source(.measured, "BlueZ advertising"), .measured),
        ProfileFact(
            "linux/beacon/extended", [.linuxExtended], [.foreground],
            needs: [.bluetooth], .beacon, .yes, Source(.measured, "BlueZ advertising"), .measured),
        ProfileFact(
            "linux/beacon/legacy", [.linuxLegacy], [.foreground],
            needs: [.bluetooth], .beacon, .yes, Source(.measured, "BlueZ advertising"), .measured),
        ProfileFact(
            "linux/beacon/only", [.linuxBeacon], [.foreground],
            needs: [.bluetooth], .beacon, .yes, Source(.measured, "BlueZ advertising"), .measured),
        ProfileFact(
            "linux/links", [.linuxExtended, .linuxLegacy], [.foreground],
            needs: [.bluetooth], .links, .yes, Source(.measured, "BlueZ GATT"), .measured),
        ProfileFact(
            "linux/connect", [.linuxExtended, .linuxLegacy], [.foreground],
            needs: [.bluetooth], .connect, .within(200, 2000), Source(.measured, "BlueZ GATT"), .assumed),
        ProfileFact(
            "linux/find", [.linux], [.foreground],
            needs: [.localNetwork], .find, .yes, Source(.measured, "avahi"), .measured),
        ProfileFact(
            "linux/network-links", [.linux], [.foreground],
            needs: [.localNetwork], .networkLinks, .yes, Source(.measured, "sockets"), .measured),
        ProfileFact(
            "linux/aware", [.linuxAware], [.foreground],
            needs: [.localNetwork], .aware, .yes, Source(.platform, "nl80211"), .documented),
        ProfileFact(
            "linux/exchange", [.linux], [.foreground],
            needs: [], .exchange, .yes, Source(.measured, "codes in a terminal"), .measured),
    ]
}

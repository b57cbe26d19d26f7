#if Node
    import InklingNode
    import Testing

    @testable import InklingLinux

    private func adapter(isExtended: Bool = true, discoverable: Bool = false, alias: String = "inkling") -> BlueZAdapter
    {
        var adapter = BlueZAdapter(path: "/org/bluez/hci0")
        adapter.update(
            BlueZName.adapter,
            ["Powered": .bool(true), "Discoverable": .bool(discoverable), "Alias": .string(alias)])
        adapter.update(
            BlueZName.advertising, isExtended ? ["SupportedSecondaryChannels": .strings(["1M"])] : [:])
        return adapter
    }

    private let suitable = "[General]\nPrivacy = device\nName = inkling\nDeviceID = false\n[GATT]\nChannels = 1\n"

    @Suite struct BlueZSettingsTests {
        @Test func `without a file a beacon may be shown, and links violate every setting`() {
            let settings = BlueZSettings(readingFile: "/nonexistent/main.conf")
            #expect(settings == BlueZSettings())
            #expect(settings.violations(of: .beacon, on: adapter()) == [])
            #expect(settings.violations(of: .links, on: adapter()) == [.privacy, .name, .services, .channels])
        }

        @Test func `the lines that the errors name allow links`() {
            var text = ""
            for setting in [RadioSetting.privacy, .name, .services, .channels] {
                let words = setting.line.split(separator: "]", maxSplits: 1)
                text += "\(words[0])]\n\(words[1])\n"
            }
            #expect(BlueZSettings(parsing: text).violations(of: .links, on: adapter()) == [])
        }

        @Test(arguments: [
            ("Privacy = device", "Privacy = network", RadioSetting.privacy),
            ("Privacy = device", "#Privacy = device", .privacy),
            ("Name = inkling", "Name = Ada's laptop", .name),
            ("DeviceID = false", "DeviceID = bluetooth:1:2:3", .services),
            ("Channels = 1", "Channels = 3", .channels), ("[GATT]", "[Other]", .channels),
        ])
        func `one wrong line is named`(line: String, wrong: String, setting: RadioSetting) {
            let settings = BlueZSettings(parsing: suitable.replacing(line, with: wrong))
            #expect(settings.violations(of: .links, on: adapter()) == [setting])
        }

        @Test func `a file that is newer than what the daemon has read permits no links`() {
            var settings = BlueZSettings(parsing: suitable)
            settings.hasPrivateAddresses = false
            #expect(settings.violations(of: .links, on: adapter()) == [.privacy])
            settings.hasPrivateAddresses = true
            #expect(settings.violations(of: .links, on: adapter()) == [])
        }

        @Test func `the settings in force are read from the reply about the adapter, and from nothing else`() {
            // Read Controller Information of hci1: powered, low energy, advertising and private addresses.
            let reply: [UInt8] =
                [1, 0, 1, 0, 27, 0, 4, 0, 0] + [6, 5, 4, 3, 2, 1] + [9, 0xf1, 5] + [0xff, 0xff, 1, 0]
                + [0x01, 0x26, 0, 0] + [UInt8](repeating: 0, count: 16)
            #expect(ControllerSettings.settings(in: reply[...], of: 1) == 0x2601)
            #expect(ControllerSettings.settings(in: reply[...], of: 0) == nil)
            #expect(ControllerSettings.settings(in: reply[..<25], of: 1) == nil)
            #expect(ControllerSettings.settings(in: [], of: 1) == nil)
            for (place, wrong) in [(0, 2), (6, 5), (8, 17)] as [(Int, UInt8)] {
                var other = reply
                other[place] = wrong
                #expect(ControllerSettings.settings(in: other[...], of: 1) == nil)
            }
            #expect(ControllerSettings.hasPrivateAddresses("adapter") == nil)
        }

        @Test func `an adapter that was renamed, is discoverable or has legacy advertising shows something lasting`() {
            let settings = BlueZSettings(parsing: suitable)
            #expect(settings.violations(of: .links, on: adapter()) == [])
            #expect(settings.violations(of: .links, on: adapter(alias: "Ada")) == [.name])
            #expect(settings.violations(of: .links, on: adapter(discoverable: true)) == [.privacy])
            #expect(settings.violations(of: .links, on: adapter(isExtended: false)) == [.privacy])
        }

        @Test func `a beacon of a legacy controller keeps its address where privacy is on`() {
            let settings = BlueZSettings(parsing: suitable)
            #expect(settings.violations(of: .beacon, on: adapter()) == [])
            #expect(settings.violations(of: .beacon, on: adapter(isExtended: false)) == [.beaconPrivacy])
            #expect(BlueZSettings().violations(of: .beacon, on: adapter(isExtended: false)) == [])
        }

        @Test func `reads spaces, comments and unknown lines as the daemon does`() {
            let settings = BlueZSettings(
                parsing:
                    "  [General]  \r\n\tPrivacy=device  \n; Name = x\nrubbish\n=\n[GATT]\nChannels =1\nName = y\n[\n]")
            #expect(settings.privacy == "device")
            #expect(settings.name == nil)
            #expect(settings.channels == 1)
            #expect(BlueZSettings(parsing: "[General]\nTemporaryTimeout = 0").temporarySeconds == 0)
            #expect(BlueZSettings(parsing: "[General]\nTemporaryTimeout = -5").temporarySeconds == 30)
        }

        @Test
        func `a radio that chooses by itself takes links if it can, and names the first obstacle if it can do nothing`()
            throws
        {
            let settings = BlueZSettings(parsing: suitable)
            func layout(
                _ mode: LinuxBluetooth.Mode, _ settings: BlueZSettings, _ adapter: BlueZAdapter, hasLinks: Bool = true
            ) throws -> RadioLayout {
                try BlueZRadio.layout(for: mode, settings, on: adapter, hasLinks: hasLinks)
            }
            #expect(try layout(.auto, settings, adapter()) == .links)
            #expect(try layout(.auto, settings, adapter(), hasLinks: false) == .beacon)
            #expect(try layout(.auto, BlueZSettings(), adapter()) == .beacon)
            #expect(try layout(.beacon, settings, adapter()) == .beacon)
            #expect(throws: RadioError.exposed(.privacy)) { try layout(.links, BlueZSettings(), adapter()) }
            #expect(throws: RadioError.exposed(.beaconPrivacy)) {
                try layout(.beacon, settings, adapter(isExtended: false))
            }
            #expect(throws: RadioError.exposed(.privacy)) { try layout(.auto, settings, adapter(isExtended: false)) }
        }
    }
#endif

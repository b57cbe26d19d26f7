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

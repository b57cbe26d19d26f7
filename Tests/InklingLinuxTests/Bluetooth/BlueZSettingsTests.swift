#if Node
    import InklingNode
    import InklingWire
    import Testing

    @testable import InklingLinux

    private func adapter(
        isExtended: Bool = true, discoverable: Bool = false, alias: String = "inkling",
        services: [UInt16] = [0x1800, 0x1801], more: [String: BusValue] = [:]
    ) -> BlueZAdapter {
        var adapter = BlueZAdapter(path: "/org/bluez/hci0")
        adapter.update(
            BlueZName.adapter,
            [
                "Powered": .bool(true), "Discoverable": .bool(discoverable), "Alias": .string(alias),
                "Class": .uint32(0x7c_0000), "UUIDs": .strings(services.map { UUID128(short: $0).description }),
            ].merging(more) { $1 })
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

        @Test func `the lines that the errors name allow links`() throws {
            var text = ""
            for setting in [RadioSetting.privacy, .name, .services, .channels] {
                let words = try #require(setting.line).split(separator: "]", maxSplits: 1)
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

        /// Covers INK-BLE-014, INK-BLE-019.
        @Test(
            arguments: [
                ([0x1800, 0x1801], []), ([0x1800, 0x1801, 0x110a, 0x1000, 0x1200], []),
                ([0x1800, 0x1801, 0x180a], [.services]), ([0x1800, 0x1844], [.otherServices]),
                ([0x180a, 0x180f], [.services, .otherServices]), ([0x0fff], [.otherServices]),
                ([0x17ff], []), ([0xffff], [.otherServices]),
            ] as [([UInt16], [RadioSetting])])
        func `services of others violate the layout for links, and classes of BR/EDR do not`(
            services: [UInt16], violated: [RadioSetting]
        ) {
            let settings = BlueZSettings(parsing: suitable)
            let found = adapter(services: services)
            #expect(settings.violations(of: .links, on: found) == violated)
            #expect(settings.violations(of: .beacon, on: found) == [])
        }

        /// Covers INK-BLE-014.
        @Test(
            arguments: [
                (["Class": .uint32(0x10c)], [.appearance]), (["Class": .uint32(0xffff_e000)], []),
                (["Class": .string("0")], [.appearance]), (["UUIDs": .strings([UUID128.service.description])], []),
                (["UUIDs": .strings([UUID128.tagCharacteristic.description])], [.otherServices]),
                // A UUID between two short ones that is not a short one.
                (["UUIDs": .strings(["00001105-0000-1000-8000-00805f9b34fc"])], [.otherServices]),
                (["UUIDs": .strings((0..<1_000).map { "\($0)" })], []),
            ] as [([String: BusValue], [RadioSetting])])
        func `what an adapter says of its class and its services is judged`(
            properties: [String: BusValue], violated: [RadioSetting]
        ) {
            let found = adapter(more: properties)
            #expect(BlueZSettings(parsing: suitable).violations(of: .links, on: found) == violated)
        }

        @Test func `what an adapter does not say is not taken for harmless`() {
            var silent = BlueZAdapter(path: "/org/bluez/hci0")
            silent.update(BlueZName.advertising, ["SupportedSecondaryChannels": .strings(["1M"])])
            #expect(
                BlueZSettings(parsing: suitable).violations(of: .links, on: silent) == [
                    .name, .appearance, .otherServices,
                ])
        }

        @Test func `of a thousand foreign services sixteen are kept`() {
            let found = adapter(services: (0x2000..<0x23e8).map { UInt16($0) })
            #expect(found.otherServices?.count == BlueZAdapter.serviceLimit)
            #expect(found.otherServices?.first == UUID128(short: 0x2000))
        }

        @Test func `the service of a profile is foreign to every other one`() throws {
            let own = try ApplicationProfile(name: "org.example.own")
            for (served, profile, violated) in [
                (own.service, own, []), (own.service, .inkling, [.otherServices]),
                (ApplicationProfile.inkling.service, .inkling, []),
                (ApplicationProfile.inkling.service, own, [.otherServices]),
            ] as [(UUID128, ApplicationProfile, [RadioSetting])] {
                let found = adapter(more: ["UUIDs": .strings([served.description])])
                #expect(
                    BlueZSettings(parsing: suitable).violations(of: .links, on: found, profile: profile) == violated)
                #expect(found.foreignServices(beside: profile) == (violated.isEmpty ? [] : [served]))
            }
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

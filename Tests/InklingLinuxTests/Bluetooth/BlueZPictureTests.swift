#if Node
    import Testing

    @testable import InklingLinux

    private func signal(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) -> BusSignal {
        BusSignal(path: path, interface: interface, member: member, arguments: arguments)
    }

    private func powered(_ isPowered: Bool) -> [String: [String: BusValue]] {
        [BlueZName.adapter: ["Powered": .bool(isPowered)], BlueZName.advertising: [:]]
    }

    @Suite struct BlueZPictureTests {
        private var picture = BlueZPicture([
            "/org/bluez": [:], "/org/bluez/hci0": powered(false), "/org/bluez/hci1": powered(true),
            "/org/bluez/hci2": powered(true),
        ])

        @Test func `chooses the adapter of a name, or the first that is switched on`() {
            #expect(picture.adapter(named: "hci2")?.path == "/org/bluez/hci2")
            #expect(picture.adapter(named: nil)?.path == "/org/bluez/hci1")
            #expect(picture.adapter(named: "hci3") == nil)
            #expect(BlueZPicture(["/org/bluez/hci0": powered(false)]).adapter(named: nil)?.isPowered == false)
            #expect(BlueZPicture().adapter(named: nil) == nil)
        }

        @Test mutating func `follows power, removal and return`() {
            picture.apply(
                signal(
                    "/org/bluez/hci1", BusInterface.properties, "PropertiesChanged",
                    [.string(BlueZName.adapter), .properties(["Powered": .bool(false)]), .strings([])]))
            #expect(picture.adapter(named: nil)?.path == "/org/bluez/hci2")
            picture.apply(
                signal(
                    "/", BusInterface.objectManager, "InterfacesRemoved",
                    [.path("/org/bluez/hci2"), .strings([BlueZName.adapter])]))
            #expect(picture.adapter(at: "/org/bluez/hci2") == nil)
            picture.apply(
                signal(
                    "/", BusInterface.objectManager, "InterfacesAdded",
                    [
                        .path("/org/bluez/hci2"),
                        .dictionary(
                            key: "s", value: "a{sv}",
                            [.string(BlueZName.adapter): .properties(["Powered": .bool(true)])]),
                    ]))
            #expect(picture.adapter(named: nil)?.path == "/org/bluez/hci2")
        }

        @Test mutating func `forgets everything when the daemon goes`() {
            picture.apply(
                signal(
                    "/org/freedesktop/DBus", BusInterface.bus, "NameOwnerChanged",
                    [.string(BlueZName.service), .string(":1.1"), .string("")]))
            #expect(picture == BlueZPicture())
        }

        @Test mutating func `values of another type than expected are ignored`() {
            let before = picture
            for arguments in [
                [], [.string("x")], [.uint32(1), .uint32(2), .uint32(3)],
                [.string(BlueZName.adapter), .properties(["Powered": .string("x")]), .strings([])],
            ] as [[BusValue]] {
                for (interface, member) in [
                    (BusInterface.properties, "PropertiesChanged"), (BusInterface.objectManager, "InterfacesAdded"),
                    (BusInterface.objectManager, "InterfacesRemoved"),
                ] {
                    picture.apply(signal("/org/bluez/hci1", interface, member, arguments))
                }
            }
            #expect(picture == before)
        }

        @Test func `knows what a controller can do`() {
            var adapter = BlueZAdapter(path: "/org/bluez/hci0")
            #expect(!adapter.canAdvertise && !adapter.isExtended && !adapter.canMonitor)
            adapter.update(BlueZName.advertising, [:])
            #expect(adapter.canAdvertise && !adapter.isExtended)
            adapter.update(BlueZName.advertising, ["SupportedSecondaryChannels": .strings(["1M"])])
            #expect(adapter.isExtended)
            adapter.update(BlueZName.monitoring, ["SupportedMonitorTypes": .strings([])])
            #expect(!adapter.canMonitor)
            adapter.update(BlueZName.monitoring, ["SupportedMonitorTypes": .strings(["or_patterns"])])
            #expect(adapter.canMonitor)
        }

        @Test func `keeps a bounded number of adapters`() {
            var objects: BlueZObjects = [:]
            for number in 0..<1_000 { objects["/org/bluez/hci\(number)"] = powered(true) }
            let picture = BlueZPicture(objects)
            #expect((0..<1_000).count { picture.adapter(at: "/org/bluez/hci\($0)") != nil } == BlueZPicture.limit)
        }
    }
#endif

#if Node
    internal import InklingWire

    /// The GATT service of this device, as objects on the bus.
    ///
    /// The handles are constant. BlueZ would otherwise use the next free ones at each registration, and anyone who
    /// connects would see how often that was.
    enum GATTApplication {
        static let root = "/org/inkling/gatt"
        static let service = "/org/inkling/gatt/service"
        // BlueZ adds them to the service in the order of their paths.
        static let tag = "/org/inkling/gatt/service/characteristic1"
        static let input = "/org/inkling/gatt/service/characteristic2"
        static let output = "/org/inkling/gatt/service/characteristic3"

        private static let firstHandle: UInt16 = 0x0100

        /// Returns the objects, with a handler for BlueZ's calls to the characteristics.
        static func objects(
            of profile: ApplicationProfile, _ handler: @escaping @Sendable (BusCall) -> Void
        ) -> [BusObject] {
            [
                BusObject(path: root, caller: BlueZName.service, isManager: true),
                BusObject(
                    path: service,
                    interfaces: [
                        BlueZName.gattService: [
                            "UUID": .string(profile.service.description), "Primary": .bool(true),
                            "Handle": .uint16(firstHandle),
                        ]
                    ], caller: BlueZName.service, handler: handler),
                characteristic(tag, profile.tag, ["read"], handle: firstHandle + 2, [:], handler),
                characteristic(
                    input, profile.input, ["write-without-response"], handle: firstHandle + 4, [:], handler),
                characteristic(
                    output, profile.output, ["notify"], handle: firstHandle + 6,
                    // With this property BlueZ names the subscribing device in `AcquireNotify`; `StartNotify` does not.
                    ["NotifyAcquired": .bool(false)], handler),
            ]
        }

        private static func characteristic(
            _ path: String, _ uuid: UUID128, _ flags: [String], handle: UInt16, _ more: [String: BusValue],
            _ handler: @escaping @Sendable (BusCall) -> Void
        ) -> BusObject {
            let properties: [String: BusValue] = [
                "UUID": .string(uuid.description), "Service": .path(service), "Flags": .strings(flags),
                "Handle": .uint16(handle),
            ]
            return BusObject(
                path: path, interfaces: [BlueZName.gattCharacteristic: properties.merging(more) { $1 }],
                caller: BlueZName.service, handler: handler)
        }
    }
#endif

#if Node
    internal import InklingEngine

    /// Disconnects devices, and makes BlueZ forget them: their names, their services and their addresses.
    struct DeviceRemoval: Sendable {
        let bus: Bus
        /// The path of the adapter.
        let adapter: String
        /// How long BlueZ may take. It waits two seconds before it ends a connection.
        static let timeout = Duration.seconds(6)
        /// How long the end of a session waits for that.
        static let closing = Duration.milliseconds(3_500)

        /// Returns when the device is no longer connected, or `timeout` has passed. A device that belongs to somebody else is
        /// left alone: the headset or the mouse of the user is connected over the same adapter, and removing it would end
        /// its pairing. With `hasUsed`, one with a public address has used the service, and is not such a device.
        func remove(_ device: String, hasUsed: Bool = false) async {
            guard let properties = await bus.properties(of: device),
                Self.isOurs(device, properties) || hasUsed && Self.mayUse(device, properties)
            else { return }
            let removed = try? await bus.call(
                BlueZName.service, adapter, BlueZName.adapter, "RemoveDevice", [.path(device)], timeout: Self.timeout)
            guard removed == nil else { return }
            // It is gone already, or the adapter has lost its power, or BlueZ is too slow.
            _ = try? await bus.call(
                BlueZName.service, device, BlueZName.device, "Disconnect", timeout: Self.timeout)
        }

        /// Whether a device is there and may use the service.
        func mayUse(_ device: String) async -> Bool {
            guard let properties = await bus.properties(of: device) else { return false }
            return Self.mayUse(device, properties)
        }

        /// Whether a device can be one that only the radio of a node has met: it has a private address and is not paired.
        static func isOurs(_ device: String, _ properties: [String: BusValue]) -> Bool {
            !isKept(properties) && properties["AddressType"] == .string("random")
                && DeviceAddress(devicePath: device)?.isPrivate == true
        }

        /// Whether a device may use the service: it can be a node's, or an antenna, which has a public address.
        static func mayUse(_ device: String, _ properties: [String: BusValue]) -> Bool {
            isOurs(device, properties) || !isKept(properties) && properties["AddressType"] == .string("public")
        }

        private static func isKept(_ properties: [String: BusValue]) -> Bool {
            ["Paired", "Bonded", "Trusted"].contains { properties[$0]?.asBool == true }
        }
    }

    extension Bus {
        /// Returns the properties of a device of BlueZ; nil when it is gone, or BlueZ does not reply.
        func properties(of device: String) async -> [String: BusValue]? {
            let reply = try? await call(
                BlueZName.service, device, BusInterface.properties, "GetAll", [.string(BlueZName.device)],
                expecting: "a{sv}", timeout: DeviceRemoval.timeout)
            return reply?.first?.asProperties
        }
    }
#endif

#if Node
    internal import InklingEngine

    /// Disconnects devices and makes BlueZ forget them: their names, services and addresses.
    struct DeviceRemoval: Sendable {
        let bus: Bus
        /// The object path of the adapter.
        let adapter: String
        /// The timeout of a removal. BlueZ waits two seconds before it ends a connection.
        static let timeout = Duration.seconds(6)
        /// The longest time that the end of a session waits for removals.
        static let closing = Duration.milliseconds(3_500)

        /// Removes a device and returns when it is disconnected or `timeout` has passed. Devices that are not ours are
        /// left alone: the user's headset or mouse is connected over the same adapter, and removing it would end its
        /// pairing. With `hasUsed`, a device with a public address has used the service and counts as ours.
        func remove(_ device: String, hasUsed: Bool = false) async {
            guard let properties = await bus.properties(of: device),
                Self.isOurs(device, properties) || hasUsed && Self.mayUse(device, properties)
            else { return }
            let removed = try? await bus.call(
                BlueZName.service, adapter, BlueZName.adapter, "RemoveDevice", [.path(device)], timeout: Self.timeout)
            guard removed == nil else { return }
            // It is already gone, the adapter has lost power, or BlueZ is too slow.
            _ = try? await bus.call(
                BlueZName.service, device, BlueZName.device, "Disconnect", timeout: Self.timeout)
        }

        /// Returns whether a device exists and may use the service.
        func mayUse(_ device: String) async -> Bool {
            guard let properties = await bus.properties(of: device) else { return false }
            return Self.mayUse(device, properties)
        }

        /// Returns whether only a node's radio can have met a device: it has a private address and is not paired.
        static func isOurs(_ device: String, _ properties: [String: BusValue]) -> Bool {
            !isKept(properties) && properties["AddressType"] == .string("random")
                && DeviceAddress(devicePath: device)?.isPrivate == true
        }

        /// Returns whether a device may use the service: a possible node, or an antenna, which has a public address.
        static func mayUse(_ device: String, _ properties: [String: BusValue]) -> Bool {
            isOurs(device, properties) || !isKept(properties) && properties["AddressType"] == .string("public")
        }

        private static func isKept(_ properties: [String: BusValue]) -> Bool {
            ["Paired", "Bonded", "Trusted"].contains { properties[$0]?.asBool == true }
        }
    }

    extension Bus {
        /// Returns the properties of a BlueZ device; `nil` if it is gone or BlueZ does not reply.
        func properties(of device: String) async -> [String: BusValue]? {
            let reply = try? await call(
                BlueZName.service, device, BusInterface.properties, "GetAll", [.string(BlueZName.device)],
                expecting: "a{sv}", timeout: DeviceRemoval.timeout)
            return reply?.first?.asProperties
        }
    }
#endif

#if Node
    /// Disconnects devices, and makes BlueZ forget them: their names, their services and their addresses.
    struct DeviceRemoval: Sendable {
        let bus: Bus
        /// The path of the adapter.
        let adapter: String
        /// How long BlueZ may take. It waits two seconds before it ends a connection.
        static let timeout = Duration.seconds(6)
        /// How long the end of a session waits for that.
        static let closing = Duration.milliseconds(3_500)

        /// Returns when the device is no longer connected, or `timeout` has passed.
        func remove(_ device: String) async {
            let removed = try? await bus.call(
                GATTName.bluez, adapter, GATTName.adapter, "RemoveDevice", [.path(device)], timeout: Self.timeout)
            guard removed == nil else { return }
            // It is gone already, or the adapter has lost its power, or BlueZ is too slow.
            _ = try? await bus.call(
                GATTName.bluez, device, GATTName.device, "Disconnect", timeout: Self.timeout)
        }
    }
#endif

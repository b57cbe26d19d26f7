#if Node
    /// The power of one adapter.
    struct AdapterPower: Sendable {
        let bus: Bus
        /// The object path of the adapter.
        let adapter: String

        /// Returns whether no device is connected over the adapter; our own links count too and are a reason to wait.
        func isUnused() async -> Bool {
            guard let objects = try? await bus.managedObjects(of: BlueZName.service) else { return false }
            return !objects.contains { path, interfaces in
                path.hasPrefix(adapter + "/") && interfaces[BlueZName.device]?["Connected"]?.asBool == true
            }
        }

        /// Switches the adapter off and on while nothing is advertised. This discards its addresses, including the
        /// private one under which it connects, which otherwise outlives the advertising sets.
        ///
        /// - Throws: `BusError`
        func cycle() async throws(BusError) {
            for isPowered in [false, true] {
                try await bus.setProperty(BlueZName.service, adapter, BlueZName.adapter, "Powered", .bool(isPowered))
            }
        }
    }
#endif

#if Node
    internal import InklingEngine
    internal import InklingKeys
    internal import InklingNode
    internal import InklingWire

    /// The links of one adapter, accepted and made, from one quiet period to the next.
    ///
    /// Links exist only while the adapter uses private addresses, which the owner checks, and never outlive the session
    /// in which they were made.
    final class GATTLinks: BlueZLinks {
        private let server: GATTServer
        private let central: GATTCentral
        private let task: Task<Void, Never>

        /// Creates the links of the adapter with this path.
        init(
            bus: Bus, adapter: String, profile: ApplicationProfile = .inkling, limits: GATTLimits = GATTLimits(),
            served: ServedCentrals.Limits = ServedCentrals.Limits(), clock: any NodeClock = SystemClock()
        ) {
            let central = GATTCentral(bus: bus, adapter: adapter, profile: profile, limits: limits, clock: clock)
            let server = GATTServer(
                bus: bus, adapter: adapter, profile: profile, limits: limits, served: served, clock: clock,
                isCalled: { central.isCalled($0) })
            self.central = central
            self.server = server
            let changes = bus.signals([
                BusRule(
                    sender: BlueZName.service, interface: BusInterface.properties, member: "PropertiesChanged",
                    path: adapter, includesBelow: true, firstArgument: BlueZName.device),
                // A device unknown before it connected is already connected when it is added.
                BusRule(
                    sender: BlueZName.service, interface: BusInterface.objectManager, member: "InterfacesAdded",
                    path: "/"),
                BusRule(
                    sender: BlueZName.service, interface: BusInterface.objectManager, member: "InterfacesRemoved",
                    path: "/"),
            ])
            task = Task { [weak server] in
                for await event in changes {
                    guard let server else { return }
                    await Self.take(event, on: bus, adapter, server)
                }
            }
        }

        deinit { task.cancel() }

        /// Registers the service with BlueZ, if it is not registered. It stays registered across sessions: nothing
        /// about it may change with an epoch.
        ///
        /// - Throws: `BusError`
        func register() async throws(BusError) { try await server.register() }

        /// Withdraws the service.
        func unregister() async { await server.unregister() }

        /// Starts showing a tag, accepting links and allowing calls; without a tag it only allows calls.
        func open(_ tag: RecognitionTag?) -> AsyncStream<any Link> {
            central.open()
            guard let tag else { return AsyncStream { $0.finish() } }
            return server.open(tag)
        }

        /// Closes every link, and returns when all devices are disconnected or `DeviceRemoval.closing` has passed.
        func close() async {
            async let called: Void = central.close()
            await server.close()
            await called
        }

        /// Connects to a device that was heard, while a session is open.
        ///
        /// - Throws: `LinkError`
        func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink {
            try await central.connect(to: address, within: timeout)
        }

        /// The sizes of all tables, which tests compare.
        var counts: [Int] { server.counts + [central.count] }

        private static func take(_ signal: BusSignal, _ adapter: String, _ server: GATTServer) {
            guard signal.arguments.count >= 2 else { return }
            let device = signal.arguments[0].asPath ?? signal.path
            guard device.hasPrefix(adapter + "/") else { return }
            let isConnected =
                switch signal.member {
                case "InterfacesAdded":
                    signal.arguments[1].asInterfaces?[BlueZName.device]?["Connected"] == .bool(true)
                        ? true : nil as Bool?
                case "InterfacesRemoved":
                    signal.arguments[1].asStrings?.contains(BlueZName.device) == true ? false : nil as Bool?
                default: signal.arguments[1].asProperties?["Connected"]?.asBool
                }
            if let isConnected { server.noteConnected(device, isConnected) }
        }

        private static func take(_ event: BusEvent, on bus: Bus, _ adapter: String, _ server: GATTServer) async {
            switch event {
            case .signal(let signal):
                take(signal, adapter, server)
            case .lost:
                guard let objects = try? await bus.managedObjects(of: BlueZName.service) else { return }
                for (path, interfaces) in objects where path.hasPrefix(adapter + "/") {
                    guard let isConnected = interfaces[BlueZName.device]?["Connected"]?.asBool else { continue }
                    server.noteConnected(path, isConnected)
                }
            }
        }
    }
#endif

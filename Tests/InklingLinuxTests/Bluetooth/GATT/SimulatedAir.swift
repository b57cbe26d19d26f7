#if Node
    import InklingEngine
    import InklingKeys
    import InklingWire
    import InklingTesting

    @testable import InklingLinux

    /// BlueZ with two adapters whose devices hear each other: the objects, calls and signals of BlueZ 5.66 that links use.
    ///
    /// A connection has two ends: the device of the other adapter's address below each adapter. `Value` of a served OUT
    /// goes to all subscribers, as in BlueZ before 5.76.
    final class SimulatedAir: Sendable {
        static let adapters = ["/org/bluez/hci0", "/org/bluez/hci1"]
        private static let addresses = [0x4000_0000_00a0, 0x4000_0000_00b1].compactMap { DeviceAddress($0) }

        struct Faults: Sendable {
            /// Connecting never ends.
            var connectHangs = false
            /// The device is gone while it is being connected.
            var vanishesOnConnect = false
            /// Notifications are not passed on.
            var losesNotifications = false
            /// `WriteValue` is refused by the system of the writer.
            var refusesWrites = false
            /// Services are resolved only when this is false again.
            var holdsServices = false
        }

        struct State: Sendable {
            var mtu: UInt16 = 517
            var faults = Faults()
            /// The unique name and the root of each adapter's application.
            var applications: [String: (owner: String, root: String)] = [:]
            var connections: [Connection] = []
            /// Calls that are never answered.
            var held: [BusCall] = []
            var known: Set<String> = []
            /// Fragments in the order in which they crossed the air.
            var writes: [[UInt8]] = []
            var notifications: [[UInt8]] = []
            var removals = 0
            var registrations = 0
            /// The services and characteristics of each adapter, by their paths.
            var listed: [String: [Attribute]] = [:]
        }

        struct Attribute: Hashable, Sendable {
            let uuid: String
            let handle: UInt16
        }

        struct Connection: Sendable {
            /// The adapter that made the connection, and that which accepted it.
            let central: String
            let peripheral: String
            /// The device of the peripheral below the central's adapter, and the other way round.
            let called: String
            let caller: String
            var isSubscribed = false
        }

        let bus: Bus
        let state = Watched(State())

        init(_ address: String) async throws {
            bus = try await PrivateBus.open(address)
            bus.export(BusObject(path: "/", isManager: true))
            for adapter in Self.adapters {
                bus.export(
                    BusObject(
                        path: adapter, interfaces: ["org.bluez.Adapter1": [:], "org.bluez.GattManager1": [:]],
                        handler: { [weak self] in self?.adapterCalled($0) }))
            }
            try await bus.requestName("org.bluez")
        }

        /// The adapter of the other side.
        func other(_ adapter: String) -> String {
            adapter == Self.adapters[0] ? Self.adapters[1] : Self.adapters[0]
        }

        /// The address under which an adapter is heard.
        static func address(_ adapter: String) -> DeviceAddress {
            addresses[adapter == adapters[0] ? 0 : 1]
        }

        /// An adapter hears the other one.
        func hear(on adapter: String) async {
            await hear(Self.address(other(adapter)).devicePath(below: adapter))
        }

        /// An adapter hears a device. Returns once every client on the bus can ask for it.
        func hear(_ device: String, addressType: String = "random") async {
            addDevice(device, addressType: addressType)
            _ = await bus.properties(of: device)
        }

        func addDevice(
            _ path: String, isConnected: Bool = false, addressType: String = "random", isPaired: Bool = false
        ) {
            state.withLock { _ = $0.known.insert(path) }
            bus.export(
                BusObject(
                    path: path,
                    interfaces: [
                        "org.bluez.Device1": [
                            "Connected": .bool(isConnected), "ServicesResolved": .bool(false),
                            "AddressType": .string(addressType), "Paired": .bool(isPaired),
                        ]
                    ],
                    handler: { [weak self] in self?.deviceCalled($0) }))
        }

        /// Connects a device that is not a node: a stranger.
        func connectStranger(
            _ address: DeviceAddress, to adapter: String, addressType: String = "random", isPaired: Bool = false
        ) -> String {
            let path = address.devicePath(below: adapter)
            state.withLock {
                $0.connections.append(
                    Connection(central: "", peripheral: adapter, called: "", caller: path))
            }
            addDevice(path, isConnected: true, addressType: addressType, isPaired: isPaired)
            return path
        }

        func isConnected(_ device: String) -> Bool {
            state.withLock { $0.connections.contains { $0.caller == device || $0.called == device } }
        }

        /// Returns when a device is not connected.
        func disconnection(of device: String) async {
            await state.wait { !$0.connections.contains { $0.caller == device || $0.called == device } }
        }

        /// A device reads TAG of an adapter.
        func readTag(as device: String, of adapter: String, offset: UInt16? = nil) async -> Result<[UInt8], BusError> {
            var options: [String: BusValue] = ["device": .path(device), "mtu": .uint16(mtu), "link": .string("LE")]
            if let offset { options["offset"] = .uint16(offset) }
            do throws(BusError) {
                let reply = try await callApplication(
                    of: adapter, "characteristic1", "ReadValue", [.properties(options)], expecting: "ay")
                return .success(reply.first?.asBytes ?? [])
            } catch {
                return .failure(error)
            }
        }

        /// A device writes to IN of an adapter.
        func write(
            _ fragment: [UInt8], as device: String, to adapter: String, with more: [String: BusValue] = [:]
        ) async {
            state.withLock { $0.writes.append(fragment) }
            let options: [String: BusValue] = more.merging(
                ["device": .path(device), "mtu": .uint16(mtu), "link": .string("LE")]
            ) { $1 }
            _ = try? await callApplication(
                of: adapter, "characteristic2", "WriteValue", [.bytes(fragment), .properties(options)])
        }

        /// A device subscribes to OUT of an adapter.
        func subscribe(as device: String, to adapter: String) async {
            state.withLock { state in
                for place in state.connections.indices where state.connections[place].caller == device {
                    state.connections[place].isSubscribed = true
                }
            }
            let options: [String: BusValue] = ["device": .path(device), "mtu": .uint16(mtu), "link": .string("LE")]
            do throws(BusError) {
                _ = try await callApplication(
                    of: adapter, "characteristic3", "AcquireNotify", [.properties(options)], expecting: "hq")
            } catch {
                _ = try? await callApplication(of: adapter, "characteristic3", "StartNotify", [])
            }
        }

        /// Ends a connection, from either end.
        func disconnect(_ device: String) {
            let ended = state.withLock { state in
                let ended = state.connections.filter { $0.caller == device || $0.called == device }
                state.connections.removeAll { $0.caller == device || $0.called == device }
                return ended
            }
            for connection in ended {
                for end in [connection.caller, connection.called] where !end.isEmpty {
                    bus.set(end, "org.bluez.Device1", "Connected", .bool(false))
                    for path in Self.characteristics(of: end) { bus.unexport(path) }
                }
            }
        }

        /// Passes the notifications of an adapter's application to all subscribers, until the task is cancelled.
        func passNotifications(of adapter: String) async {
            guard let owner = state.withLock({ $0.applications[adapter]?.owner }) else { return }
            let rule = BusRule(
                sender: owner, interface: BusInterface.properties, member: "PropertiesChanged",
                path: GATTApplication.output)
            for await event in bus.signals([rule]) {
                guard case .signal(let signal) = event, signal.arguments.count == 3,
                    let value = signal.arguments[1].asProperties?["Value"]?.asBytes
                else { continue }
                let connections = state.withLock { state in
                    state.notifications.append(value)
                    return state.faults.losesNotifications ? [] : state.connections.filter(\.isSubscribed)
                }
                for connection in connections where connection.peripheral == adapter && !connection.called.isEmpty {
                    bus.emit(
                        connection.called + "/service000a/char000f", BusInterface.properties, "PropertiesChanged",
                        [.string("org.bluez.GattCharacteristic1"), .properties(["Value": .bytes(value)]), .strings([])])
                }
            }
        }

        private var mtu: UInt16 { state.withLock { $0.mtu } }

        private func callApplication(
            of adapter: String, _ characteristic: String, _ member: String, _ arguments: [BusValue],
            expecting signature: String = ""
        ) async throws(BusError) -> [BusValue] {
            guard let application = state.withLock({ $0.applications[adapter] }) else { throw .noReply }
            return try await bus.call(
                application.owner, application.root + "/service/" + characteristic, "org.bluez.GattCharacteristic1",
                member, arguments, expecting: signature)
        }

        // MARK: Calls of nodes

        private func adapterCalled(_ call: BusCall) {
            switch call.member {
            case "RegisterApplication":
                guard let root = call.arguments.first?.asPath else {
                    return call.refuse("org.bluez.Error.InvalidArguments")
                }
                let isNew = state.withLock { state in
                    guard state.applications[call.path] == nil else { return false }
                    state.registrations += 1
                    state.applications[call.path] = (call.sender, root)
                    return true
                }
                guard isNew else { return call.refuse("org.bluez.Error.AlreadyExists") }
                Task {
                    // BlueZ reads the objects before it replies.
                    let objects = try? await bus.managedObjects(of: call.sender, at: root)
                    guard let objects, objects.count == 4 else { return call.refuse("org.bluez.Error.Failed") }
                    let listed = objects.sorted { $0.key < $1.key }.compactMap { _, interfaces in
                        interfaces.values.first.flatMap { properties -> Attribute? in
                            guard let uuid = properties["UUID"]?.asString, let handle = properties["Handle"]?.asUInt16
                            else { return nil }
                            return Attribute(uuid: uuid, handle: handle)
                        }
                    }
                    state.withLock { $0.listed[call.path] = listed }
                    call.reply()
                    await passNotifications(of: call.path)
                }
            case "UnregisterApplication":
                state.withLock { $0.applications[call.path] = nil }
                call.reply()
            case "RemoveDevice":
                guard let device = call.arguments.first?.asPath,
                    state.withLock({ state in
                        state.removals += 1
                        return state.known.remove(device) != nil
                    })
                else { return call.refuse("org.bluez.Error.DoesNotExist") }
                disconnect(device)
                bus.unexport(device)
                call.reply()
            default: call.refuse(BusErrorName.unknownMethod)
            }
        }

        private func deviceCalled(_ call: BusCall) {
            switch call.member {
            case "Connect": Task { await connect(call) }
            case "Disconnect":
                disconnect(call.path)
                call.reply()
            default: call.refuse(BusErrorName.unknownMethod)
            }
        }

        private func connect(_ call: BusCall) async {
            let faults = state.withLock { $0.faults }
            guard !faults.connectHangs else { return state.withLock { $0.held.append(call) } }
            guard !faults.vanishesOnConnect else {
                state.withLock { _ = $0.known.remove(call.path) }
                bus.unexport(call.path)
                return call.refuse("org.bluez.Error.Failed")
            }
            guard let central = Self.adapters.first(where: { call.path.hasPrefix($0 + "/") }) else { return }
            let peripheral = other(central)
            let caller = Self.address(central).devicePath(below: peripheral)
            state.withLock {
                $0.connections.append(
                    Connection(central: central, peripheral: peripheral, called: call.path, caller: caller))
            }
            addDevice(caller, isConnected: true)
            bus.set(call.path, "org.bluez.Device1", "Connected", .bool(true))
            call.reply()
            await state.wait { !$0.faults.holdsServices }
            if state.withLock({ $0.applications[peripheral] }) != nil { exportServices(of: call.path) }
            bus.set(call.path, "org.bluez.Device1", "ServicesResolved", .bool(true))
        }

        private static func characteristics(of device: String) -> [String] {
            ["", "/char000b", "/char000d", "/char000f"].map { device + "/service000a" + $0 }
        }

        private func exportServices(of device: String) {
            let paths = Self.characteristics(of: device)
            bus.export(
                BusObject(
                    path: paths[0], interfaces: ["org.bluez.GattService1": ["UUID": .string("\(UUID128.service)")]]))
            let shown: [(UUID128, String)] = [
                (.tagCharacteristic, "read"), (.inCharacteristic, "write-without-response"),
                (.outCharacteristic, "notify"),
            ]
            for (path, (uuid, flag)) in zip(paths.dropFirst(), shown) {
                bus.export(
                    BusObject(
                        path: path,
                        interfaces: [
                            "org.bluez.GattCharacteristic1": [
                                "UUID": .string(uuid.description), "Flags": .strings([flag]), "MTU": .uint16(mtu),
                            ]
                        ],
                        handler: { [weak self] call in Task { await self?.characteristicCalled(call, of: device) } }))
            }
        }

        /// The central's BlueZ carries a call over the air to the peripheral's application.
        private func characteristicCalled(_ call: BusCall, of device: String) async {
            guard let connection = state.withLock({ $0.connections.first { $0.called == device } }) else {
                return call.refuse("org.bluez.Error.NotConnected")
            }
            switch call.member {
            case "ReadValue":
                switch await readTag(as: connection.caller, of: connection.peripheral) {
                case .success(let value): call.reply([.bytes(value)])
                case .failure: call.refuse("org.bluez.Error.NotSupported")
                }
            case "WriteValue":
                guard !state.withLock({ $0.faults.refusesWrites }), let fragment = call.arguments.first?.asBytes,
                    // As in BlueZ 5.66, which drops longer writes.
                    fragment.count <= min(Int(mtu) - 3, 510)
                else { return call.refuse("org.bluez.Error.Failed") }
                await write(fragment, as: connection.caller, to: connection.peripheral)
                call.reply()
            case "StartNotify":
                await subscribe(as: connection.caller, to: connection.peripheral)
                call.reply()
            default: call.refuse(BusErrorName.unknownMethod)
            }
        }
    }
#endif

#if Node
    import InklingTesting
    import Synchronization

    @testable import InklingLinux

    /// `bluetoothd` with one adapter, as far as the radio uses it, over a private bus.
    final class SimulatedBlueZ: Sendable {
        static let adapterPath = "/org/bluez/hci0"

        /// A set that is on the air.
        struct Shown: Hashable, Sendable {
            let path: String
            let owner: String
            let properties: [String: BusValue]

            /// The minor in the iBeacon frame; nil if there is none.
            var minor: UInt16? {
                let bytes = properties["ManufacturerData"]?.asEntries?[.uint16(0x4c)]?.content.asBytes ?? []
                return bytes.count == 23 ? UInt16(bytes[20]) << 8 | UInt16(bytes[21]) : nil
            }
        }

        /// An object with monitors.
        struct Monitored: Sendable {
            let owner: String
            let root: String
            let monitors: [String]
            let patterns: [BusValue]
        }

        struct State: Sendable {
            var shown: [Shown] = []
            var log: [String] = []
            var refusals: [String: [String?]] = [:]
            var silent: Set<String> = []
            var held: [BusCall] = []
            var isDiscovering = false
            /// The registered objects with monitors, in order.
            var monitored: [Monitored] = []

            /// The patterns of all monitors.
            var patterns: [BusValue] { monitored.flatMap(\.patterns) }
        }

        let state = Watched(State())
        let bus: Bus
        private let watch: Mutex<Task<Void, Never>?> = Mutex(nil)

        /// Starts the service; `interfaces` overrides properties of the adapter.
        static func start(
            _ bus: PrivateBus, overriding properties: [String: [String: BusValue]] = [:],
            without missing: Set<String> = []
        ) async throws -> SimulatedBlueZ {
            let service = SimulatedBlueZ(try await bus.open())
            service.bus.export(BusObject(path: "/", isManager: true))
            service.addAdapter(overriding: properties, without: missing)
            let ends = service.bus.signals([
                BusRule(sender: BusInterface.bus, interface: BusInterface.bus, member: "NameOwnerChanged")
            ])
            let watch = Task { [weak service] in
                for await case .signal(let signal) in ends where signal.arguments.last == .string("") {
                    service?.left(signal.arguments.first?.asString ?? "")
                }
            }
            service.watch.withLock { $0 = watch }
            try await service.bus.requestName(BlueZName.service)
            return service
        }

        private init(_ bus: Bus) { self.bus = bus }

        deinit { watch.withLock { $0?.cancel() } }

        func addAdapter(
            overriding properties: [String: [String: BusValue]] = [:], without missing: Set<String> = []
        ) {
            var interfaces: [String: [String: BusValue]] = [
                BlueZName.adapter: [
                    "Powered": .bool(true), "Discoverable": .bool(false), "Alias": .string("inkling"),
                    "Address": .string("00:AA:01:00:00:42"), "Class": .uint32(0),
                    "UUIDs": .strings(["00001800-0000-1000-8000-00805f9b34fb", "00001801-0000-1000-8000-00805f9b34fb"]),
                ],
                BlueZName.advertising: [
                    "ActiveInstances": .byte(0), "SupportedSecondaryChannels": .strings(["1M", "2M"]),
                ],
                BlueZName.monitoring: ["SupportedMonitorTypes": .strings(["or_patterns"])],
            ]
            for (name, values) in properties { interfaces[name, default: [:]].merge(values) { $1 } }
            for name in missing { interfaces[name] = nil }
            bus.export(
                BusObject(path: Self.adapterPath, interfaces: interfaces) { [weak self] in self?.received($0) })
        }

        /// Returns once every client on the bus sees the earlier changes.
        func settled() async { _ = try? await bus.managedObjects(of: BlueZName.service) }

        func removeAdapter() { bus.unexport(Self.adapterPath) }

        func set(_ interface: String, _ name: String, _ value: BusValue) {
            bus.set(Self.adapterPath, interface, name, value)
        }

        /// The sets on the air.
        var shown: [Shown] { state.withLock { $0.shown } }
        /// The calls, in order.
        var log: [String] { state.withLock { $0.log } }
        var isScanning: Bool { state.withLock { $0.isDiscovering || !$0.monitored.isEmpty } }
        /// The patterns of all monitors.
        var patterns: [BusValue] { state.withLock(\.patterns) }

        /// Refuses a call of a method with this error, after this many calls that succeed.
        func refuse(_ member: String, _ name: String, after count: Int = 0) {
            state.withLock { $0.refusals[member] = [String?](repeating: nil, count: count) + [name] }
        }

        /// Never replies to a method from now on.
        func ignore(_ member: String) { state.withLock { _ = $0.silent.insert(member) } }

        /// Ends a set as `bluetoothd` does by itself.
        func release(_ shown: Shown) async throws {
            state.withLock { $0.shown.removeAll { $0 == shown } }
            _ = try await bus.call(shown.owner, shown.path, BlueZName.advertisement, "Release")
        }

        /// Shows a device that was heard, with a random address unless stated otherwise.
        func hear(_ address: String, _ properties: [String: BusValue]) {
            let all = properties.merging(["AddressType": .string("random")]) { said, _ in said }
            bus.export(BusObject(path: Self.path(of: address), interfaces: [BlueZName.device: all]))
        }

        /// Changes a property of a device that was heard.
        func hearAgain(_ address: String, _ name: String, _ value: BusValue) {
            bus.set(Self.path(of: address), BlueZName.device, name, value)
        }

        /// Notifies the monitor of a device, and fails while there is none, as `bluetoothd` does for each
        /// advertisement.
        func find(_ address: String) async throws {
            guard let monitored = state.withLock({ $0.monitored.last }), let monitor = monitored.monitors.first else {
                throw BusError.closed
            }
            _ = try await bus.call(
                monitored.owner, monitor, BlueZName.monitor, "DeviceFound", [.path(Self.path(of: address))])
        }

        func forget(_ address: String) { bus.unexport(Self.path(of: address)) }

        static func path(of address: String) -> String {
            "\(adapterPath)/dev_\(address.replacing(":", with: "_"))"
        }

        /// Manufacturer data of Apple.
        static func apple(_ bytes: [UInt8]) -> BusValue {
            .dictionary(key: "q", value: "v", [.uint16(0x4c): .variant(.bytes(bytes))])
        }

        private func left(_ name: String) {
            state.withLock { state in
                state.shown.removeAll { $0.owner == name }
                if name.first == ":" { state.log.append("left") }
            }
        }

        private func received(_ call: BusCall) {
            let (refusal, isIgnored) = state.withLock { state -> (String?, Bool) in
                state.log.append(
                    call.member == "Set"
                        ? "Set \(call.arguments[1].asString ?? "") \(call.arguments[2].content.asBool.map(String.init) ?? "")"
                        : call.member)
                if state.silent.contains(call.member) {
                    state.held.append(call)
                    return (nil, true)
                }
                guard var names = state.refusals[call.member], !names.isEmpty else { return (nil, false) }
                let name = names.removeFirst()
                state.refusals[call.member] = names
                return (name, false)
            }
            if isIgnored { return }
            if let refusal { return call.refuse(refusal) }
            switch call.member {
            case "Set":
                if let interface = call.arguments[0].asString, let name = call.arguments[1].asString {
                    set(interface, name, call.arguments[2].content)
                }
                call.reply()
            case "RegisterAdvertisement": Task { await register(call) }
            case "UnregisterAdvertisement":
                let path = call.arguments.first?.asPath
                let isKnown = state.withLock { state in
                    let before = state.shown.count
                    state.shown.removeAll { $0.path == path && $0.owner == call.sender }
                    return state.shown.count < before
                }
                if isKnown { call.reply() } else { call.refuse(BlueZName.doesNotExist) }
            case "RegisterMonitor": Task { await monitor(call) }
            case "UnregisterMonitor":
                let root = call.arguments.first?.asPath
                state.withLock { $0.monitored.removeAll { $0.owner == call.sender && $0.root == root } }
                call.reply()
            case "StopDiscovery":
                state.withLock { $0.isDiscovering = false }
                call.reply()
            case "SetDiscoveryFilter": call.reply()
            case "StartDiscovery":
                state.withLock { $0.isDiscovering = true }
                call.reply()
            default: call.refuse(BusErrorName.unknownMethod)
            }
        }

        private func register(_ call: BusCall) async {
            guard let path = call.arguments.first?.asPath,
                let reply = try? await bus.call(
                    call.sender, path, BusInterface.properties, "GetAll", [.string(BlueZName.advertisement)],
                    expecting: "a{sv}"),
                let properties = reply.first?.asProperties
            else { return call.refuse(BlueZName.failed) }
            state.withLock {
                $0.shown.append(Shown(path: path, owner: call.sender, properties: properties))
            }
            call.reply()
        }

        private func monitor(_ call: BusCall) async {
            guard let root = call.arguments.first?.asPath,
                let objects = try? await bus.managedObjects(of: call.sender, at: root),
                objects.values.allSatisfy({ $0[BlueZName.monitor]?["Type"] == .string("or_patterns") })
            else { return call.refuse(BlueZName.failed) }
            let patterns = objects.sorted { $0.key < $1.key }.flatMap { object -> [BusValue] in
                if case .array(_, let patterns)? = object.value[BlueZName.monitor]?["Patterns"] { patterns } else { [] }
            }
            state.withLock {
                $0.monitored.append(
                    Monitored(owner: call.sender, root: root, monitors: objects.keys.sorted(), patterns: patterns))
            }
            call.reply()
            for path in objects.keys { _ = try? await bus.call(call.sender, path, BlueZName.monitor, "Activate") }
        }
    }
#endif

#if Node
    internal import InklingNode

    /// Listens on one adapter: passively by a monitor for patterns, or by discovery when the operator allows that, which
    /// sends requests.
    actor BlueZScanner {
        /// How the scanner listens.
        enum Mode: Hashable, Sendable {
            case passive
            case active
        }

        private let bus: Bus
        private let adapter: BlueZAdapter
        private let onFound: @Sendable (_ device: String) -> Void
        /// Whether the last start allowed an active scan.
        private var allowsActiveScan = false
        private var mode: Mode?
        /// The object with the monitor that is registered.
        private var root: String?
        /// How many connections are being made.
        private var connects = 0

        /// Creates a scanner that does not listen yet; `onFound` is called with the path of each device that its monitor finds,
        /// which `bluetoothd` says for each advertisement that it is told of.
        init(bus: Bus, adapter: BlueZAdapter, onFound: @escaping @Sendable (_ device: String) -> Void) {
            self.onFound = onFound
            self.bus = bus
            self.adapter = adapter
        }

        /// Begins to listen; returns how, or nil when it is possible neither passively nor as is allowed.
        func start(actively allowsActiveScan: Bool) async -> Mode? {
            self.allowsActiveScan = allowsActiveScan
            return await startAgain()
        }

        /// Begins to listen as the last start allowed.
        func startAgain() async -> Mode? {
            guard mode == nil else { return mode }
            if await startPassive() {
                mode = .passive
            } else if allowsActiveScan, await startActive() {
                mode = .active
            }
            return mode
        }

        /// Ends listening.
        func stop() async {
            if let root {
                self.root = nil
                _ = try? await call(BlueZName.monitoring, "UnregisterMonitor", [.path(root)])
                withdraw(root)
            }
            if mode == .active { _ = try? await call(BlueZName.adapter, "StopDiscovery") }
            mode = nil
        }

        /// A connection is about to be made: an active scan pauses, because beside it most connections time out.
        func beginConnect() async {
            connects += 1
            if connects == 1, mode == .active { _ = try? await call(BlueZName.adapter, "StopDiscovery") }
        }

        /// The connection was made or given up.
        func endConnect() async {
            connects -= 1
            if connects == 0, mode == .active { _ = await startActive() }
        }

        private func startPassive() async -> Bool {
            guard adapter.canMonitor else { return false }
            let root = "/org/inkling/monitors\(bus.nextNumber())"
            bus.export(BusObject(path: root, caller: BlueZName.service, isManager: true))
            bus.export(
                BusObject(
                    path: root + "/beacons", interfaces: [BlueZName.monitor: Self.monitor], caller: BlueZName.service
                ) { [onFound] call in
                    // The data are in the signals about the device, which come before.
                    if call.member == "DeviceFound", let device = call.arguments.first?.asPath { onFound(device) }
                    let isKnown = ["Activate", "Release", "DeviceFound", "DeviceLost"].contains(call.member)
                    if isKnown { call.reply() } else { call.refuse(BusErrorName.unknownMethod) }
                })
            do throws(BusError) {
                _ = try await call(BlueZName.monitoring, "RegisterMonitor", [.path(root)])
                self.root = root
                return true
            } catch {
                withdraw(root)
                return false
            }
        }

        private func startActive() async -> Bool {
            let filter = BusValue.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])
            do throws(BusError) {
                _ = try await call(BlueZName.adapter, "SetDiscoveryFilter", [filter])
                _ = try await call(BlueZName.adapter, "StartDiscovery")
                return true
            } catch {
                return false
            }
        }

        private func withdraw(_ root: String) {
            bus.unexport(root + "/beacons")
            bus.unexport(root)
        }

        private func call(
            _ interface: String, _ member: String, _ arguments: [BusValue] = []
        ) async throws(BusError) -> [BusValue] {
            try await bus.call(BlueZName.service, adapter.path, interface, member, arguments, timeout: .seconds(5))
        }

        /// The patterns of iBeacon frames and of overflow areas, in manufacturer data from its first byte. Without limits
        /// of the received power, or nothing would be found at a power that stays the same.
        private static let monitor: [String: BusValue] = [
            "Type": .string("or_patterns"),
            "Patterns": .array(
                of: "(yyay)",
                [[0x4c, 0x00, 0x02, 0x15], [0x4c, 0x00, 0x01]].map {
                    .structure([.byte(0), .byte(0xff), .bytes($0)])
                }),
        ]
    }
#endif

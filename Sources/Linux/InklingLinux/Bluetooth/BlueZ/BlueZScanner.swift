#if Node
    internal import InklingKeys
    internal import InklingNode
    internal import InklingWire

    /// Listens on one adapter: passively through pattern monitors, or through discovery, which sends requests, if the
    /// operator allows that.
    actor BlueZScanner {
        /// The scan mode.
        enum Mode: Hashable, Sendable {
            case passive
            case active
        }

        /// The largest number of minors it can listen for: `bluetoothd` counts the patterns of a monitor in a byte, and
        /// a kernel has 32 monitors for all programs.
        static let minorLimit = patternsOfMonitor * 16
        private static let patternsOfMonitor = 128
        /// The timeout of a call, and of a call to a daemon that has fallen behind.
        private static let standardTimeout = Duration.seconds(5), patience = Duration.seconds(60)

        private let bus: Bus
        private let profile: ApplicationProfile
        private let adapter: BlueZAdapter
        private let onFound: @Sendable (_ device: String) -> Void
        /// Whether the last `start` allowed an active scan.
        private var allowsActiveScan = false
        private var mode: Mode?
        /// The object with the registered monitors.
        private var monitors: MonitorObjects?
        /// A counter of stops: a registration that began before a stop must not listen afterwards.
        private var round = 0
        /// The number of connections being made.
        private var connects = 0

        /// Creates a scanner that does not listen yet. `onFound` is called with the path of each device that a monitor
        /// finds; `bluetoothd` reports that for each advertisement that it is told of.
        init(
            bus: Bus, adapter: BlueZAdapter, profile: ApplicationProfile,
            onFound: @escaping @Sendable (_ device: String) -> Void
        ) {
            self.onFound = onFound
            self.profile = profile
            self.bus = bus
            self.adapter = adapter
        }

        /// Starts listening; returns the mode, or `nil` if no passive scan and no allowed active scan is possible.
        func start(actively allowsActiveScan: Bool) async -> Mode? {
            self.allowsActiveScan = allowsActiveScan
            return await startAgain()
        }

        /// Starts listening as the last `start` allowed.
        func startAgain() async -> Mode? {
            guard mode == nil else { return mode }
            if await startPassive() {
                mode = .passive
            } else if allowsActiveScan, await startActive() {
                mode = .active
            }
            return mode
        }

        /// Listens for these minors only, at most `minorLimit`, until it is stopped; returns whether it does.
        func narrow(to minors: Set<BeaconMinor>) async -> Bool {
            guard mode == .passive, minors.count <= Self.minorLimit else { return false }
            let begun = round
            // Unregister the old monitors first: a daemon flooded with devices would answer nothing else.
            if let monitors {
                self.monitors = nil
                await unregister(monitors, within: Self.patience)
            }
            guard round == begun else { return false }
            guard let next = await register(Self.patterns(of: minors, in: profile), within: Self.patience) else {
                return false
            }
            guard round == begun else {
                await unregister(next)
                return false
            }
            monitors = next
            return true
        }

        /// Stops listening.
        func stop() async {
            round += 1
            if let monitors {
                self.monitors = nil
                await unregister(monitors)
            }
            if mode == .active { _ = try? await call(BlueZName.adapter, "StopDiscovery") }
            mode = nil
        }

        /// Notes that a connection is about to be made: it pauses an active scan, beside which most connects time out.
        func beginConnect() async {
            connects += 1
            if connects == 1, mode == .active { _ = try? await call(BlueZName.adapter, "StopDiscovery") }
        }

        /// Notes that the connection was made or given up.
        func endConnect() async {
            connects -= 1
            if connects == 0, mode == .active { _ = await startActive() }
        }

        private func startPassive() async -> Bool {
            guard adapter.canMonitor else { return false }
            monitors = await register([Self.all])
            return monitors != nil
        }

        /// Registers a monitor for each list of patterns, below one object; `nil` if that is refused.
        private func register(
            _ patterns: [[[UInt8]]], within timeout: Duration = BlueZScanner.standardTimeout
        ) async -> MonitorObjects? {
            let root = "/org/inkling/monitors\(bus.nextNumber())"
            let objects = MonitorObjects(root: root, monitors: patterns.indices.map { "\(root)/beacons\($0)" })
            bus.export(BusObject(path: root, caller: BlueZName.service, isManager: true))
            for (path, patterns) in zip(objects.monitors, patterns) {
                bus.export(
                    BusObject(
                        path: path, interfaces: [BlueZName.monitor: Self.properties(patterns)],
                        caller: BlueZName.service
                    ) { [onFound] call in
                        // The data are in the device's signals, which come before.
                        if call.member == "DeviceFound", let device = call.arguments.first?.asPath { onFound(device) }
                        let isKnown = ["Activate", "Release", "DeviceFound", "DeviceLost"].contains(call.member)
                        if isKnown { call.reply() } else { call.refuse(BusErrorName.unknownMethod) }
                    })
            }
            do throws(BusError) {
                _ = try await call(BlueZName.monitoring, "RegisterMonitor", [.path(root)], within: timeout)
                return objects
            } catch {
                withdraw(objects)
                return nil
            }
        }

        private func unregister(_ objects: MonitorObjects, within timeout: Duration = BlueZScanner.standardTimeout)
            async
        {
            _ = try? await call(
                BlueZName.monitoring, "UnregisterMonitor", [.path(objects.root)], within: timeout)
            withdraw(objects)
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

        private func withdraw(_ objects: MonitorObjects) {
            for path in objects.monitors { bus.unexport(path) }
            bus.unexport(objects.root)
        }

        private func call(
            _ interface: String, _ member: String, _ arguments: [BusValue] = [],
            within timeout: Duration = BlueZScanner.standardTimeout
        ) async throws(BusError) -> [BusValue] {
            try await bus.call(BlueZName.service, adapter.path, interface, member, arguments, timeout: timeout)
        }

        /// The prefixes of iBeacon frames and of overflow areas in manufacturer data.
        private static let all: [[UInt8]] = [[0x4c, 0x00, 0x02, 0x15], [0x4c, 0x00, 0x01]]

        /// Returns the prefixes of these minors' beacons, in one list per monitor.
        private static func patterns(of minors: Set<BeaconMinor>, in profile: ApplicationProfile) -> [[[UInt8]]] {
            // From the company to the minor: the flags, length and type come before, the power after.
            let contents = minors.sorted { $0.value < $1.value }.map {
                Array(profile.beacon($0).encoded().dropFirst(5).dropLast())
            }
            return stride(from: 0, to: contents.count, by: patternsOfMonitor).map {
                Array(contents.dropFirst($0).prefix(patternsOfMonitor))
            }
        }

        /// Returns a monitor without RSSI thresholds; with them, devices of constant power would not be found.
        private static func properties(_ patterns: [[UInt8]]) -> [String: BusValue] {
            [
                "Type": .string("or_patterns"),
                "Patterns": .array(
                    of: "(yyay)", patterns.map { .structure([.byte(0), .byte(0xff), .bytes($0)]) }),
            ]
        }
    }

    /// A registered object and the monitors below it.
    private struct MonitorObjects {
        let root: String
        let monitors: [String]
    }
#endif

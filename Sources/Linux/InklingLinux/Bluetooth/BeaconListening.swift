#if Node
    internal import InklingKeys
    package import InklingNode
    package import InklingWire

    /// Listens for beacons on one adapter and advertises nothing.
    package actor BeaconListening {
        /// A reason why it cannot listen.
        package enum Refusal: Error, Hashable, Sendable {
            case radio(RadioError)
            /// It can only listen by sending scan requests, and that is not allowed.
            case onlyActively
        }

        /// The largest number of reports that wait for the consumer.
        private static let reportLimit = 4_096
        /// The interval at which unchanged devices are reported again, in milliseconds.
        private static let turn: UInt64 = 1_000

        /// Whether the adapter sends scan requests.
        package nonisolated let isActive: Bool
        /// The reports, for a single consumer; ends after `close`, and after a failure is reported.
        package nonisolated let reports: AsyncStream<RadioReport>
        private let report: AsyncStream<RadioReport>.Continuation
        private let bus: Bus
        private let scanner: BlueZScanner
        private let path: String
        private let clock: any NodeClock
        private var hearing: BlueZHearing
        private var tasks: [Task<Void, Never>] = []

        private init(
            _ bus: Bus, _ scanner: BlueZScanner, isActive: Bool, path: String, hearing: BlueZHearing,
            clock: any NodeClock
        ) {
            self.bus = bus
            self.scanner = scanner
            self.isActive = isActive
            self.path = path
            self.hearing = hearing
            self.clock = clock
            (reports, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.reportLimit))
        }

        /// Starts listening.
        ///
        /// - Parameters:
        ///   - adapter: the adapter's name, such as `hci0`; `nil` for the first that is powered.
        ///   - allowsActiveScan: whether it may send scan requests if it cannot listen without them.
        ///   - profile: the profile of the application whose beacons are reported.
        ///   - clock: the clock that times the reports.
        ///   - busAddress: the address of a message bus instead of the system bus, for tests.
        /// - Returns: the listener, which runs until it is closed.
        /// - Throws: `Refusal`; then it does not listen.
        package static func open(
            adapter: String? = nil, allowsActiveScan: Bool = false, profile: ApplicationProfile = .inkling,
            clock: any NodeClock = SystemClock(), busAddress: String? = nil
        ) async throws(Refusal) -> BeaconListening {
            let bus = try await refusal { () throws(BusError) in try await Bus.open(busAddress) }
            do throws(Refusal) {
                return try await begin(over: bus, adapter, allowsActiveScan, profile, clock)
            } catch {
                await bus.close()
                throw error
            }
        }

        /// Stops listening and returns once it has stopped.
        package func close() async {
            for task in tasks { task.cancel() }
            await scanner.stop()
            await bus.close()
            report.finish()
        }

        private static func begin(
            over bus: Bus, _ wanted: String?, _ allowsActiveScan: Bool, _ profile: ApplicationProfile,
            _ clock: any NodeClock
        ) async throws(Refusal) -> BeaconListening {
            // Subscribe to signals first, so that nothing is missed.
            let events = bus.signals(BlueZSession.rules)
            let objects = try await refusal { () throws(BusError) in
                try await bus.managedObjects(of: BlueZName.service)
            }
            guard let adapter = BlueZPicture(objects).adapter(named: wanted) else { throw .radio(.noAdapter) }
            guard adapter.isPowered else { throw .radio(.poweredOff) }
            let (found, continuation) = AsyncStream.makeStream(
                of: String.self, bufferingPolicy: .bufferingNewest(Self.reportLimit))
            let scanner = BlueZScanner(bus: bus, adapter: adapter, profile: profile) { continuation.yield($0) }
            guard let mode = await scanner.start(actively: allowsActiveScan) else {
                throw adapter.canMonitor || allowsActiveScan ? .radio(.refused) : .onlyActively
            }
            let daemon = BlueZSettings(readingFrom: SystemFiles())
            let hearing = BlueZHearing(
                adapter: adapter.path, profile: profile, listedFor: .seconds(daemon.temporarySeconds))
            let listening = BeaconListening(
                bus, scanner, isActive: mode == .active, path: adapter.path, hearing: hearing, clock: clock)
            await listening.run(events, found, objects)
            return listening
        }

        private static func refusal<Value: Sendable>(
            _ body: () async throws(BusError) -> Value
        ) async throws(Refusal) -> Value {
            do throws(BusError) { return try await body() } catch { throw .radio(error.radioError) }
        }

        private func run(_ events: AsyncStream<BusEvent>, _ found: AsyncStream<String>, _ objects: BlueZObjects) {
            for (path, interfaces) in objects {
                if let properties = interfaces[BlueZName.device] { hearing.listed(path, properties) }
            }
            tasks = [
                Task { [weak self] in
                    for await event in events { await self?.take(event) }
                },
                Task { [weak self] in
                    for await device in found { await self?.found(device) }
                },
                Task { [weak self, clock] in
                    while !Task.isCancelled {
                        await self?.takeTurn()
                        let due = clock.read().tick.advanced(byMilliseconds: Self.turn)
                        guard (try? await clock.sleep(until: due)) != nil else { return }
                    }
                },
            ]
        }

        private func takeTurn() {
            for repeated in hearing.repeated(at: clock.read()) { report.yield(repeated) }
        }

        private func take(_ event: BusEvent) {
            guard case .signal(let signal) = event else { return }
            let arguments = signal.arguments
            switch (signal.interface, signal.member) {
            case (BusInterface.bus, _): fail(.noDaemon)
            case (_, "InterfacesAdded"):
                guard arguments.count == 2, let path = arguments[0].asPath,
                    let properties = arguments[1].asInterfaces?[BlueZName.device]
                else { return }
                heard(path, properties)
            case (_, "InterfacesRemoved"):
                guard arguments.count == 2, let path = arguments[0].asPath, let names = arguments[1].asStrings else {
                    return
                }
                if path == self.path, names.contains(BlueZName.adapter) { fail(.noAdapter) }
                if names.contains(BlueZName.device) { hearing.removed(path) }
            case (_, "PropertiesChanged"):
                guard arguments.count == 3, let name = arguments[0].asString, let changed = arguments[1].asProperties
                else { return }
                if name == BlueZName.device { heard(signal.path, changed) }
                if name == BlueZName.adapter, signal.path == path, changed["Powered"]?.asBool == false {
                    fail(.poweredOff)
                }
            default: break
            }
        }

        private func heard(_ path: String, _ properties: [String: BusValue]) {
            guard path.hasPrefix(self.path + "/") else { return }
            if let heard = hearing.heard(path, properties, at: clock.read()) { report.yield(heard) }
        }

        private func found(_ device: String) {
            if let heard = hearing.found(device, at: clock.read()) { report.yield(heard) }
        }

        private func fail(_ error: RadioError) {
            report.yield(.failed(error))
            report.finish()
        }
    }
#endif

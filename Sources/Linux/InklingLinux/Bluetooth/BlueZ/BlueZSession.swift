#if Node
    internal import InklingEngine
    internal import InklingKeys
    internal import InklingNode
    internal import Synchronization

    /// A session of the radio, from one quiet period to the next.
    actor BlueZSession: RadioSession {
        /// The largest number of reports that wait for the consumer.
        private static let reportLimit = 4_096
        /// The largest number of found devices that wait for the session.
        private static let foundLimit = 1_024
        /// The longest time for which `bluetoothd` reports nothing about a nearby device; its scan also pauses.
        static let gap = Duration.seconds(15)

        nonisolated let carriesLinks: Bool
        nonisolated let reports: AsyncStream<RadioReport>
        nonisolated let links: AsyncStream<any Link>
        private let report: AsyncStream<RadioReport>.Continuation
        private let connection: BlueZConnection
        /// The settings read before the session.
        private let daemon: BlueZSettings
        private let clock: any NodeClock
        private let recovery: SharedRecovery
        /// The interval of repeated reports and the watchdog, in milliseconds.
        private let turn: UInt64
        /// The number of heard addresses above which unexpected beacons are filtered out.
        private let crowd: Int
        private let expected: ExpectedMinors
        /// The heard addresses, at most one more than `crowd`.
        private var addresses: Set<DeviceAddress> = []
        /// Whether it has begun to filter out unexpected beacons.
        private var isCrowded = false
        /// The minors it listens for; `nil` while that is unknown or it listens for all.
        private var narrowedTo: Set<BeaconMinor>?
        private var narrowing: Task<Void, Never>?
        private var picture: BlueZPicture
        private var hearing: BlueZHearing
        /// The task that ends the session and returns when nothing is advertised; `nil` until then.
        private var ending: Task<Void, Never>?
        private var tasks: [Task<Void, Never>] = []

        /// Creates a session of a connection that is advertising and listening.
        init(
            _ connection: BlueZConnection, links: AsyncStream<any Link>?, objects: BlueZObjects, daemon: BlueZSettings,
            clock: any NodeClock, recovery: SharedRecovery, turn: UInt64, crowd: Int, expected: ExpectedMinors
        ) {
            self.connection = connection
            self.daemon = daemon
            self.clock = clock
            self.recovery = recovery
            self.turn = turn
            self.crowd = crowd
            self.expected = expected
            carriesLinks = links != nil
            self.links = links ?? AsyncStream { $0.finish() }
            (reports, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.reportLimit))
            picture = BlueZPicture(objects)
            hearing = BlueZHearing(
                adapter: connection.adapter.path, profile: connection.profile,
                listedFor: .seconds(daemon.temporarySeconds))
        }

        /// The signals that a session handles.
        static let rules: [BusRule] =
            [
                .owner(of: BlueZName.service),
                BusRule(sender: BlueZName.service, interface: BusInterface.objectManager, path: "/"),
                BusRule(
                    sender: BlueZName.service, interface: BusInterface.properties, member: "PropertiesChanged",
                    path: "/org/bluez", includesBelow: true),
            ]

        /// Begins to handle signals, which were subscribed to before `objects` was read.
        func begin(_ events: AsyncStream<BusEvent>, _ objects: BlueZObjects, isListening: Bool) {
            report.yield(.gap(Self.gap))
            list(objects)
            if isListening {
                _ = recovery.handle(.started, at: clock.read().tick)
            } else {
                report.yield(.deaf(.none))
            }
            connection.onRelease { [weak self] in Task { await self?.fail(.refused) } }
            let (found, continuation) = AsyncStream.makeStream(
                of: String.self, bufferingPolicy: .bufferingNewest(Self.foundLimit))
            connection.onFound { continuation.yield($0) }
            tasks.append(
                Task { [weak self] in
                    for await device in found { await self?.found(device) }
                })
            tasks.append(
                Task { [weak self] in
                    for await event in events { await self?.take(event) }
                    // The stream ends with the connection.
                    await self?.fail(.bus(code: BusLoop.noConnection))
                })
            tasks.append(
                Task { [weak self, clock, turn] in
                    while !Task.isCancelled {
                        let due = clock.read().tick.advanced(byMilliseconds: turn)
                        guard (try? await clock.sleep(until: due)) != nil else { return }
                        await self?.takeTurn()
                    }
                })
        }

        func close() async { await end(keepingConnection: true) { _ in } }

        /// Whether the session has ended.
        var hasEnded: Bool { ending != nil }

        private func fail(_ error: RadioError) async {
            await end(keepingConnection: false) { $0.yield(.failed(error)) }
        }

        /// Ends the session once; every caller returns when nothing is advertised. After a failure the streams stay
        /// open until `close`.
        private func end(
            keepingConnection: Bool, then report: @escaping @Sendable (AsyncStream<RadioReport>.Continuation) -> Void
        ) async {
            if ending == nil {
                _ = recovery.handle(.stopped, at: clock.read().tick)
                connection.onRelease(nil)
                connection.onFound(nil)
                ending = Task { [connection, continuation = self.report] in
                    if keepingConnection { await connection.goOff() } else { await connection.close() }
                    report(continuation)
                }
            }
            await ending?.value
            guard keepingConnection else { return }
            for task in tasks { task.cancel() }
            self.report.finish()
        }

        private func take(_ event: BusEvent) async {
            guard ending == nil else { return }
            switch event {
            case .lost: await askAgain()
            case .signal(let signal):
                picture.apply(signal)
                if signal.interface == BusInterface.bus { return await fail(.noDaemon) }
                if let obstacle { return await fail(obstacle) }
                take(device: signal)
            }
        }

        /// The reason why the layout must not stay on the air, if any. Other programs can change the adapter.
        private var obstacle: RadioError? {
            guard let adapter = picture.adapter(at: connection.adapter.path) else { return .noAdapter }
            guard adapter.isPowered else { return .poweredOff }
            return daemon.violations(of: connection.layout, on: adapter, profile: connection.profile).first.map {
                .exposed($0)
            }
        }

        private func take(device signal: BusSignal) {
            let arguments = signal.arguments
            switch signal.member {
            case "InterfacesAdded":
                guard arguments.count == 2, let path = arguments[0].asPath,
                    let properties = arguments[1].asInterfaces?[BlueZName.device]
                else { return }
                heard(path, properties)
            case "InterfacesRemoved":
                guard arguments.count == 2, let path = arguments[0].asPath,
                    arguments[1].asStrings?.contains(BlueZName.device) == true
                else { return }
                hearing.removed(path)
            case "PropertiesChanged":
                guard arguments.count == 3, arguments[0].asString == BlueZName.device,
                    let properties = arguments[1].asProperties
                else { return }
                heard(signal.path, properties)
            default: break
            }
        }

        private func heard(_ path: String, _ properties: [String: BusValue]) {
            guard path.hasPrefix(connection.adapter.path + "/") else { return }
            let reading = clock.read()
            if properties["RSSI"] != nil || properties["ManufacturerData"] != nil { noteHearing(at: reading) }
            guard let heard = hearing.heard(path, properties, at: reading) else { return }
            report.yield(heard)
            guard addresses.count <= crowd, let address = heard.address else { return }
            addresses.insert(address)
            if addresses.count > crowd { narrow() }
        }

        private func found(_ device: String) {
            guard ending == nil, device.hasPrefix(connection.adapter.path + "/") else { return }
            let reading = clock.read()
            noteHearing(at: reading)
            if let heard = hearing.found(device, at: reading) { report.yield(heard) }
        }

        /// Filters out unexpected beacons once too many addresses were heard: `bluetoothd` makes an object of each
        /// device that matches a pattern, and then answers nothing else (INK-BLE-057).
        private func narrow() {
            let minors = expected.current
            guard addresses.count > crowd, minors != narrowedTo, narrowing == nil, ending == nil else { return }
            narrowing = Task { [weak self, scanner = connection.scanner] in
                let isDone = await scanner.narrow(to: minors)
                await self?.narrowed(to: isDone ? minors : nil)
            }
        }

        /// Records the minors that the scanner listens for; `nil` after a failure, which is retried in the next turn.
        private func narrowed(to minors: Set<BeaconMinor>?) {
            narrowing = nil
            guard ending == nil else { return }
            narrowedTo = minors
            guard minors != nil, !isCrowded else { return }
            isCrowded = true
            report.yield(.crowded)
        }

        private func noteHearing(at reading: ClockReading) {
            if recovery.handle(.heard, at: reading.tick).contains(.hearing) { report.yield(.hearing) }
        }

        /// Rereads all objects after signals were lost.
        private func askAgain() async {
            let objects: BlueZObjects
            do throws(BusError) {
                // The reply comes after the excess signals.
                objects = try await connection.bus.managedObjects(of: BlueZName.service, timeout: .seconds(60))
            } catch {
                return await fail(error.radioError)
            }
            guard ending == nil else { return }
            picture = BlueZPicture(objects)
            if let obstacle { return await fail(obstacle) }
            hearing.keepOnly(objects.keys)
            list(objects)
        }

        private func list(_ objects: BlueZObjects) {
            for (path, interfaces) in objects {
                if let properties = interfaces[BlueZName.device] { hearing.listed(path, properties) }
            }
        }

        private func takeTurn() async {
            guard ending == nil else { return }
            let reading = clock.read()
            for repeated in hearing.repeated(at: reading) { report.yield(repeated) }
            narrow()
            // With a narrow filter, a deaf adapter looks like an empty place.
            if isCrowded { noteHearing(at: reading) }
            for case .recover(let step) in recovery.handle(.timerFired, at: reading.tick) { await recover(step) }
        }

        private func recover(_ step: RadioRecovery) async {
            switch step {
            case .none: report.yield(.deaf(.none))
            case .scanAgain:
                report.yield(.deaf(.scanAgain))
                await connection.scanner.stop()
                guard ending == nil else { return }
                _ = await connection.scanner.startAgain()
            case .powerCycle:
                guard await connection.power.isUnused(), ending == nil else { return _ = report.yield(.deaf(.none)) }
                report.yield(.deaf(.powerCycle))
                await powerCycle()
            }
        }

        /// Stops advertising, power-cycles the adapter and ends: what is shown next needs a new quiet period.
        private func powerCycle() async {
            guard ending == nil else { return }
            _ = recovery.handle(.stopped, at: clock.read().tick)
            connection.onRelease(nil)
            connection.onFound(nil)
            ending = Task { [connection, report] in
                await connection.goOff()
                try? await connection.power.cycle()
                await connection.close()
                report.yield(.failed(.poweredOff))
            }
            await ending?.value
        }
    }

    extension RadioReport {
        /// The heard address; `nil` for other reports.
        fileprivate var address: DeviceAddress? {
            switch self {
            case .heard(let sighting): sighting.address
            case .overflow(let address, _): address
            default: nil
            }
        }
    }

    /// The objects of `bluetoothd`, with their interfaces and properties.
    typealias BlueZObjects = [String: [String: [String: BusValue]]]

    /// The watchdog of a radio, shared by its sessions.
    final class SharedRecovery: Sendable {
        private let machine: Mutex<RadioRecoveryMachine>

        /// Creates a watchdog with a machine.
        init(_ machine: RadioRecoveryMachine = RadioRecoveryMachine()) { self.machine = Mutex(machine) }

        /// Passes an event to the machine.
        func handle(_ event: RadioRecoveryMachine.Event, at now: Tick) -> [RadioRecoveryMachine.Effect] {
            machine.withLock { $0.handle(event, at: now) }
        }
    }
#endif

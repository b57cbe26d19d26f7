#if Node
    public import InklingEngine
    public import InklingKeys
    public import InklingNode
    public import InklingVault
    public import InklingWire
    internal import Synchronization

    /// The Bluetooth radio of a Linux machine, through `bluetoothd` (`Specs/bluetooth.md`).
    public final class LinuxBluetooth: BluetoothRadio, AnsweringPart {
        /// The content that the radio shows.
        public enum Mode: String, Hashable, Sendable, CaseIterable, Codable {
            /// Links if the settings allow them, otherwise a beacon.
            case auto
            /// A non-connectable beacon.
            case beacon
            /// Links, or nothing.
            case links
        }

        private let radio: BlueZRadio

        /// Creates a radio; the first session opens it.
        ///
        /// - Parameters:
        ///   - mode: the content that it shows.
        ///   - adapter: the adapter's name, such as `hci0`; `nil` for the first that is powered.
        ///   - allowsActiveScan: whether it may send scan requests if it cannot listen without them.
        ///   - clock: the clock that the vault belongs to.
        ///   - profile: the profile of the application.
        ///   - busAddress: the address of a message bus instead of the system bus, for tests.
        public convenience init(
            mode: Mode = .auto, adapter: String? = nil, allowsActiveScan: Bool = false, clock: VaultClock = .real,
            profile: ApplicationProfile = .inkling, busAddress: String? = nil
        ) {
            self.init(
                BlueZRadio.Settings(
                    mode: mode, adapter: adapter, allowsActiveScan: allowsActiveScan, profile: profile,
                    busAddress: busAddress, makeLinks: { GATTLinks(bus: $0, adapter: $1, profile: profile) }),
                clock: SystemClock(clock))
        }

        /// Creates a radio with a test's clock and settings.
        init(_ settings: BlueZRadio.Settings, clock: any NodeClock) {
            radio = BlueZRadio(settings, clock: clock)
        }

        public func answer() async { await radio.answer() }

        public func expect(_ minors: Set<BeaconMinor>) { radio.expected.replace(with: minors) }

        public func open(_ publication: RadioPublication?) async throws(RadioError) -> any RadioSession {
            try await radio.open(publication)
        }

        public func connect(
            to address: DeviceAddress, within timeout: Duration
        ) async throws(LinkError) -> any TaggedLink {
            try await radio.connect(to: address, within: timeout)
        }
    }

    /// The minors that the node expects, shared by all sessions of a radio.
    final class ExpectedMinors: Sendable {
        private let minors = Mutex<Set<BeaconMinor>>([])

        /// The currently expected minors.
        var current: Set<BeaconMinor> { minors.withLock { $0 } }

        /// Replaces the expected minors.
        func replace(with minors: Set<BeaconMinor>) { self.minors.withLock { $0 = minors } }
    }

    /// Opens sessions, one after another, over one connection for as long as that works.
    actor BlueZRadio {
        struct Settings: Sendable {
            var mode = LinuxBluetooth.Mode.auto
            var adapter: String?
            var allowsActiveScan = false
            var profile = ApplicationProfile.inkling
            var busAddress: String?
            /// The timeouts of calls to `bluetoothd`.
            var busLimit: Bus.Limit = { $1 }
            /// Returns the settings of `bluetoothd`; they are read before each session.
            var daemon: @Sendable () -> BlueZSettings = { BlueZSettings(readingFrom: SystemFiles()) }
            /// Returns whether an adapter has private addresses now; `nil` if unknown.
            var hasPrivateAddresses: @Sendable (Substring) -> Bool? = { ControllerSettings.hasPrivateAddresses($0) }
            var recovery = RadioRecoveryMachine.Times()
            /// The interval of repeated reports and the watchdog, in milliseconds.
            var turn: UInt64 = 5_000
            /// The number of heard addresses above which a session filters out unexpected beacons.
            var crowd = 1_200
            /// Creates the links of an adapter; `nil` to offer none.
            var makeLinks: (@Sendable (Bus, _ adapter: String) -> any BlueZLinks)? = {
                GATTLinks(bus: $0, adapter: $1)
            }
        }

        /// The minors that the node expects.
        nonisolated let expected = ExpectedMinors()
        private let settings: Settings
        private let clock: any NodeClock
        private let recovery: SharedRecovery
        private var connection: BlueZConnection?
        private var session: BlueZSession?
        /// Whether the adapter has connected or scanned actively since it was powered on, under the private address
        /// that it still has.
        private var hasUsedAddress: Bool
        /// Whether that address was used in an earlier session.
        private var hasOldAddress = false
        /// The opening in progress; there is one at a time.
        private var opening: Task<Result<BlueZSession, RadioError>, Never>?

        init(_ settings: Settings, clock: any NodeClock) {
            self.settings = settings
            self.clock = clock
            // An earlier run of the node may have connected, and its address would be seen again much later.
            hasUsedAddress = settings.mode != .beacon && settings.makeLinks != nil
            recovery = SharedRecovery(RadioRecoveryMachine(times: settings.recovery))
        }

        deinit {
            // Advertising ends with the connection.
            if let connection { Task { await connection.close() } }
        }

        func open(_ publication: RadioPublication?) async throws(RadioError) -> BlueZSession {
            while let other = opening { _ = await other.value }
            let task = Task { await opened(publication) }
            opening = task
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                Task { await self.abandonOpening() }
            }
            opening = nil
            return try result.get()
        }

        func answer() async {
            guard let bus = connection?.bus, bus.isOpen else { return }
            // A refusal is an answer too.
            _ = try? await bus.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping")
        }

        /// Closes the connection to the bus, which ends pending calls to `bluetoothd` and all advertising.
        private func abandonOpening() async {
            if opening != nil { await connection?.bus.close() }
        }

        func connect(
            to address: DeviceAddress, within timeout: Duration
        ) async throws(LinkError) -> any TaggedLink {
            guard let connection, let links = connection.links, let session, await !session.hasEnded else {
                throw .closed
            }
            guard !hasOldAddress else { throw .closed }
            hasUsedAddress = true
            await connection.scanner.beginConnect()
            let result: Result<any TaggedLink, LinkError>
            do throws(LinkError) {
                result = .success(try await links.connect(to: address, within: timeout))
            } catch {
                result = .failure(error)
            }
            await connection.scanner.endConnect()
            return try result.get()
        }

        private func opened(_ publication: RadioPublication?) async -> Result<BlueZSession, RadioError> {
            // Even if the caller forgot to close it: two epochs are never on the air together.
            await session?.close()
            session = nil
            do throws(RadioError) {
                let session = try await begin(publication)
                self.session = session
                return .success(session)
            } catch {
                await connection?.close()
                connection = nil
                return .failure(error)
            }
        }

        private func begin(_ publication: RadioPublication?) async throws(RadioError) -> BlueZSession {
            let bus = try await usableBus()
            try await renewAddress(over: bus)
            // Subscribe to signals first, so that no change is missed.
            let events = bus.signals(BlueZSession.rules)
            let objects = try await radio { () throws(BusError) in
                try await bus.managedObjects(of: BlueZName.service)
            }
            let picture = BlueZPicture(objects)
            guard let adapter = picture.adapter(named: settings.adapter) else { throw .noAdapter }
            guard adapter.isPowered else { throw .poweredOff }
            guard adapter.canAdvertise else { throw .refused }
            var daemon = settings.daemon()
            daemon.hasPrivateAddresses = settings.hasPrivateAddresses(adapter.name)
            let layout = try Self.layout(
                for: settings.mode, daemon, on: adapter, hasLinks: settings.makeLinks != nil, profile: settings.profile)
            let connection = try await connected(over: bus, adapter, layout)
            if let publication { try await connection.advertiser.show(publication, layout: layout) }
            let links = connection.links?.open(publication?.tag)
            // Without private addresses the adapter would scan actively under its public one.
            let scan = await connection.scanner.start(
                actively: settings.allowsActiveScan && layout == .links && !hasOldAddress)
            if scan == .active { hasUsedAddress = true }
            let session = BlueZSession(
                connection, links: links, objects: objects, daemon: daemon, clock: clock, recovery: recovery,
                turn: settings.turn, crowd: settings.crowd, expected: expected)
            await session.begin(events, objects, isListening: scan != nil)
            return session
        }

        /// Ends the private address under which the adapter has connected or scanned. While a foreign device is
        /// connected the address stays, and no device is called (INK-BLE-026).
        private func renewAddress(over bus: Bus) async throws(RadioError) {
            hasOldAddress = hasUsedAddress
            guard hasUsedAddress else { return }
            let objects = try await radio { () throws(BusError) in
                try await bus.managedObjects(of: BlueZName.service)
            }
            guard let adapter = BlueZPicture(objects).adapter(named: settings.adapter) else { throw .noAdapter }
            let power = AdapterPower(bus: bus, adapter: adapter.path)
            guard await power.isUnused() else { return }
            try await radio { () throws(BusError) in try await power.cycle() }
            (hasUsedAddress, hasOldAddress) = (false, false)
        }

        /// Returns the layout to use.
        ///
        /// - Throws: `RadioError.exposed` with the first setting that forbids it.
        static func layout(
            for mode: LinuxBluetooth.Mode, _ daemon: BlueZSettings, on adapter: BlueZAdapter, hasLinks: Bool,
            profile: ApplicationProfile = .inkling
        ) throws(RadioError) -> RadioLayout {
            let candidates: [RadioLayout] =
                switch mode {
                case .beacon: [.beacon]
                case .links: [.links]
                case .auto: hasLinks ? [.links, .beacon] : [.beacon]
                }
            var first: RadioSetting?
            for layout in candidates {
                guard let violated = daemon.violations(of: layout, on: adapter, profile: profile).first else {
                    return layout
                }
                first = first ?? violated
            }
            throw first.map { .exposed($0) } ?? .refused
        }

        /// Returns the open connection to the bus, or a new one.
        private func usableBus() async throws(RadioError) -> Bus {
            if let connection {
                if connection.bus.isOpen { return connection.bus }
                self.connection = nil
            }
            return try await radio { () throws(BusError) in
                try await Bus.open(settings.busAddress, limit: settings.busLimit)
            }
        }

        private func connected(
            over bus: Bus, _ adapter: BlueZAdapter, _ layout: RadioLayout
        ) async throws(RadioError) -> BlueZConnection {
            if let connection, connection.bus === bus {
                if connection.adapter == adapter, connection.layout == layout { return connection }
                // Unregister the links of another adapter or layout.
                await connection.links?.unregister()
            }
            let links = layout == .links ? settings.makeLinks?(bus, adapter.path) : nil
            let made = BlueZConnection(
                bus: bus, adapter: adapter, layout: layout, profile: settings.profile, links: links)
            connection = made
            if let links { try await radio { () throws(BusError) in try await links.register() } }
            return made
        }

        private func radio<Value: Sendable>(
            _ body: () async throws(BusError) -> Value
        ) async throws(RadioError) -> Value {
            do throws(BusError) {
                return try await body()
            } catch {
                throw error.radioError
            }
        }
    }
#endif

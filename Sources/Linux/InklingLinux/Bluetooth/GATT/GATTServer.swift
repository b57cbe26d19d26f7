#if Node
    internal import InklingEngine
    internal import InklingKeys
    internal import InklingNode
    internal import InklingWire
    internal import Synchronization

    /// Serves Inkling's GATT service to devices that connect to this one (`Specs/packets.md`).
    ///
    /// A device counts from the moment it connects, and becomes a link when it first writes to IN. OUT serves one
    /// device at a time (`ServedCentrals`). TAG is shown while a session is open, to devices that connected in this
    /// session and to which this device holds no link of its own: a device that is called must not learn who calls.
    ///
    /// Other services of `bluetoothd` are not visible here: GAP and GATT, Device Information unless `DeviceID` is off,
    /// and those of other programs. It also confirms a write with response to IN, which the characteristic does not
    /// offer, before anyone has looked at the value.
    final class GATTServer: Sendable {
        private struct State {
            var served: ServedCentrals
            var links: [String: GATTLink] = [:]
            /// Devices whose link was passed to the node.
            var accepted: Set<String> = []
            /// Devices that were still connected when the session began.
            var stale: Set<String> = []
            /// Devices whose address looks static but is public.
            var publics: Set<String> = []
            /// Devices that have used the service.
            var users: Set<String> = []
            /// Fragments waiting until OUT may be used, by device.
            var held: [String: [UInt8]] = [:]
            var session: (tag: RecognitionTag, links: AsyncStream<any Link>.Continuation)?
            var timer: (due: Tick, task: Task<Void, Never>)?
        }

        private let bus: Bus
        private let adapter: String
        private let profile: ApplicationProfile
        private let limits: GATTLimits
        private let clock: any NodeClock
        private let removal: DeviceRemoval
        /// Returns whether we made a link to this device.
        private let isCalled: @Sendable (String) -> Bool
        private let departures = Departures()
        private let state: Mutex<State>
        private let writes: AsyncStream<(GATTLink, [UInt8])>.Continuation
        private let tasks: [Task<Void, Never>]

        /// The largest number of links that wait for the node.
        private static let acceptedLimit = 16

        init(
            bus: Bus, adapter: String, profile: ApplicationProfile = .inkling, limits: GATTLimits = GATTLimits(),
            served: ServedCentrals.Limits = ServedCentrals.Limits(), clock: any NodeClock = SystemClock(),
            isCalled: @escaping @Sendable (String) -> Bool
        ) {
            self.bus = bus
            self.adapter = adapter
            self.profile = profile
            self.limits = limits
            self.isCalled = isCalled
            self.clock = clock
            removal = DeviceRemoval(bus: bus, adapter: adapter)
            state = Mutex(State(served: ServedCentrals(limits: served)))
            let (stream, writes) = AsyncStream.makeStream(of: (GATTLink, [UInt8]).self)
            self.writes = writes
            let notifying = Task {
                // A link has one fragment at a time here.
                for await (link, fragment) in stream {
                    bus.emit(
                        GATTApplication.output, BusInterface.properties, "PropertiesChanged",
                        [.string(BlueZName.gattCharacteristic), .properties(["Value": .bytes(fragment)]), .strings([])])
                    link.handle(.written)
                }
            }
            tasks = [notifying]
        }

        deinit {
            writes.finish()
            for task in tasks { task.cancel() }
        }

        // MARK: The life of the service

        /// Registers the service, if it is not registered.
        ///
        /// - Throws: `BusError`
        func register() async throws(BusError) {
            for object in GATTApplication.objects(of: profile, { [weak self] in self?.received($0) }) {
                bus.export(object)
            }
            do throws(BusError) {
                _ = try await bus.call(
                    BlueZName.service, adapter, BlueZName.gattManager, "RegisterApplication",
                    [.path(GATTApplication.root), .properties([:])])
            } catch .refused(BlueZName.alreadyExists) {
                return
            }
        }

        /// Withdraws the service.
        func unregister() async {
            _ = try? await bus.call(
                BlueZName.service, adapter, BlueZName.gattManager, "UnregisterApplication",
                [.path(GATTApplication.root)])
            for path in [
                GATTApplication.output, GATTApplication.input, GATTApplication.tag, GATTApplication.service,
                GATTApplication.root,
            ] { bus.unexport(path) }
        }

        /// Starts showing a tag and accepting links.
        func open(_ tag: RecognitionTag) -> AsyncStream<any Link> {
            let (links, continuation) = AsyncStream.makeStream(
                of: (any Link).self, bufferingPolicy: .bufferingOldest(Self.acceptedLimit))
            let earlier = state.withLock { state in
                let earlier = state.session
                state.session = (tag, continuation)
                state.stale = Set(state.served.devices)
                return earlier
            }
            earlier?.links.finish()
            return links
        }

        /// Stops showing the tag, disconnects every device, and returns when all are gone or `DeviceRemoval.closing`
        /// has passed.
        func close() async {
            let (session, devices) = state.withLock { state in
                let session = state.session
                state.session = nil
                return (session, state.served.devices)
            }
            session?.links.finish()
            for device in devices { end(device) }
            await departures.wait(on: clock) { state.withLock { $0.served.devices.isEmpty } }
        }

        /// The numbers of devices, links and held fragments, which tests compare.
        var counts: [Int] {
            state.withLock {
                [
                    $0.served.devices.count, $0.links.count, $0.accepted.count, $0.stale.count, $0.held.count,
                    $0.publics.count, $0.users.count,
                ]
            }
        }

        // MARK: Events

        /// Handles BlueZ's report that a device is connected, or no longer.
        func noteConnected(_ device: String, _ isConnected: Bool) {
            guard isConnected else { return gone(device) }
            guard !isCalled(device) else { return }
            guard let address = DeviceAddress(devicePath: device), !address.isPrivate else {
                arrived(device)
                return
            }
            Task { [weak self, bus] in
                guard let properties = await bus.properties(of: device), properties["Connected"] == .bool(true),
                    DeviceRemoval.mayUse(device, properties)
                else { return }
                self?.state.withLock { _ = $0.publics.insert(device) }
                self?.arrived(device)
            }
        }

        private func received(_ call: BusCall) {
            guard call.interface == BlueZName.gattCharacteristic else {
                return call.refuse(BusErrorName.unknownMethod)
            }
            switch (call.path, call.member) {
            case (GATTApplication.tag, "ReadValue"): readTag(call)
            case (GATTApplication.input, "WriteValue"): write(call)
            case (GATTApplication.output, "AcquireNotify"):
                subscribe(call)
                // BlueZ then calls `StartNotify`, and takes notifications from changes of `Value`.
                call.refuse(BlueZName.notSupported)
            case (GATTApplication.output, "StartNotify"), (GATTApplication.output, "StopNotify"): call.reply()
            default: call.refuse(BlueZName.notSupported)
            }
        }

        private func readTag(_ call: BusCall) {
            let options = call.arguments.first?.asProperties ?? [:]
            guard let device = options["device"]?.asPath, arrived(device) else {
                return call.refuse(BlueZName.notSupported)
            }
            Task { [weak self, removal] in
                let mayUse = await removal.mayUse(device)
                // The session may have ended meanwhile.
                guard mayUse, let tag = self?.state.withLock({ $0.stale.contains(device) ? nil : $0.session?.tag })
                else { return call.refuse(BlueZName.notSupported) }
                self?.state.withLock { if $0.links[device] != nil { $0.users.insert(device) } }
                var bytes: [UInt8] = []
                bytes.append(tag.octets)
                call.reply([.bytes(Array(bytes.dropFirst(Int(options["offset"]?.asUInt16 ?? 0))))])
            }
        }

        private func subscribe(_ call: BusCall) {
            let options = call.arguments.first?.asProperties ?? [:]
            guard let device = options["device"]?.asPath, arrived(device) else { return }
            if let mtu = options["mtu"]?.asUInt16 { link(device)?.handle(.mtu(Int(mtu))) }
            perform { $0.served.subscribed(device) }
        }

        private func write(_ call: BusCall) {
            // Always the same reply, which BlueZ does not pass on.
            defer { call.reply() }
            guard call.arguments.count == 2, let fragment = call.arguments[0].asBytes,
                let options = call.arguments[1].asProperties, let device = options["device"]?.asPath,
                options["offset"] == nil, options["prepare-authorize"] == nil, arrived(device), let link = link(device)
            else { return }
            if let mtu = options["mtu"]?.asUInt16 { link.handle(.mtu(Int(mtu))) }
            let isFirst = state.withLock { state in
                state.served.used(device, at: clock.tick)
                return state.accepted.insert(device).inserted && !state.stale.contains(device)
            }
            if isFirst { offer(link) }
            link.handle(.fragment(fragment))
        }

        /// Offers the node a link to a device that it may serve; mutes any other.
        private func offer(_ link: GATTLink) {
            Task { [weak self, removal] in
                let mayUse = await removal.mayUse(link.device)
                let links = self?.state.withLock { state in
                    if mayUse, state.links[link.device] != nil { state.users.insert(link.device) }
                    return state.session?.links
                }
                guard mayUse, let links else { return link.handle(.mute) }
                if case .dropped = links.yield(link) { link.handle(.mute) }
            }
        }

        /// Notes a connected device; returns false if it may not use the service.
        @discardableResult
        private func arrived(_ device: String) -> Bool {
            // A device with a static address is not ours.
            guard !isCalled(device), let address = DeviceAddress(devicePath: device), device.hasPrefix(adapter + "/"),
                address.isPrivate || state.withLock({ $0.publics.contains(device) })
            else { return false }
            perform { state in
                var effects = state.served.arrived(device, at: clock.tick)
                // Between sessions no device is served.
                if state.session == nil { effects += state.served.ended(device) }
                if state.links[device] == nil, state.served.devices.contains(device) {
                    state.links[device] = makeLink(device, address)
                }
                return effects
            }
            return link(device) != nil
        }

        private func gone(_ device: String) {
            let link = state.withLock { state in
                state.accepted.remove(device)
                state.stale.remove(device)
                state.publics.remove(device)
                state.users.remove(device)
                state.held[device] = nil
                return state.links.removeValue(forKey: device)
            }
            link?.handle(.lost)
            perform { $0.served.gone(device) }
            departures.note(areOver: state.withLock { $0.served.devices.isEmpty })
        }

        private func link(_ device: String) -> GATTLink? { state.withLock { $0.links[device] } }

        private func makeLink(_ device: String, _ address: DeviceAddress) -> GATTLink {
            GATTLink(
                device, address: address, .accepted, limits: limits, clock: clock,
                actions: GATTLink.Actions(
                    write: { [weak self] link, fragment in self?.notify(link, fragment) },
                    disconnect: { [weak self] link in self?.perform { $0.served.ended(link.device) } },
                    promoted: { [weak self, clock] link, event in
                        self?.perform { state in
                            if event == .gatePassed { return state.served.passed(link.device, at: clock.tick) }
                            state.served.authenticated(link.device)
                            return []
                        }
                    },
                    readTag: { _, _ in .failure(.closed) }))
        }

        private func notify(_ link: GATTLink, _ fragment: [UInt8]) {
            let permission = state.withLock { state in
                let permission = state.served.mayNotify(link.device, at: clock.tick)
                if permission == .later { state.held[link.device] = fragment }
                return permission
            }
            switch permission {
            case .now: writes.yield((link, fragment))
            case .later: arm()
            case .never: link.handle(.writeFailed)
            }
        }

        // MARK: Effects

        /// Changes the state and carries out the resulting effects.
        private func perform(_ change: (inout sending State) -> [ServedCentrals.Effect]) {
            for effect in state.withLock({ change(&$0) }) {
                switch effect {
                case .disconnect(let device):
                    link(device)?.handle(.close)
                    let hasUsed = state.withLock { $0.users.contains(device) }
                    Task { [weak self, removal] in
                        await removal.remove(device, hasUsed: hasUsed)
                        self?.gone(device)
                    }
                case .release(let device):
                    let held = state.withLock { state in
                        state.held.removeValue(forKey: device).flatMap { held in state.links[device].map { ($0, held) }
                        }
                    }
                    if let held { writes.yield(held) }
                }
            }
            arm()
        }

        private func end(_ device: String) {
            link(device)?.handle(.close)
            perform { $0.served.ended(device) }
        }

        private func arm() {
            state.withLock { state in
                let due = state.served.due
                guard due != state.timer?.due else { return }
                state.timer?.task.cancel()
                state.timer = due.map { due in
                    let task = Task { [weak self, clock] in
                        guard (try? await clock.sleep(until: due)) != nil else { return }
                        self?.perform { $0.served.timerFired(at: clock.tick) }
                    }
                    return (due, task)
                }
            }
        }
    }
#endif

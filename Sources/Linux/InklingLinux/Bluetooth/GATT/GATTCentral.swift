#if Node
    internal import Glibc
    internal import InklingEngine
    internal import InklingKeys
    internal import InklingNode
    internal import InklingWire
    internal import Synchronization

    /// Makes links to devices that were heard (`Specs/packets.md`).
    ///
    /// OUT is subscribed to only when the first packet is sent, because reading a tag does not need it. BlueZ forgets
    /// the device when the link ends.
    final class GATTCentral: Sendable {
        private struct State {
            /// The links that are being made, exist, or whose devices are not gone yet, by device path.
            var places: [String: Place] = [:]
            var isOpen = false
            var count: UInt64 = 0
        }

        private struct Place {
            let number: UInt64
            var link: GATTLink?
            var peer: GATTPeer?
            var isSubscribed = false
            var isLeaving = false
            /// The task that follows the device.
            var task: Task<Void, Never>?
        }

        /// The largest number of simultaneous links.
        static let linkLimit = 3

        private let bus: Bus
        private let adapter: String
        private let profile: ApplicationProfile
        private let limits: GATTLimits
        private let clock: any NodeClock
        private let removal: DeviceRemoval
        private let departures = Departures()
        private let state = Mutex(State())

        init(
            bus: Bus, adapter: String, profile: ApplicationProfile = .inkling, limits: GATTLimits = GATTLimits(),
            clock: any NodeClock = SystemClock()
        ) {
            self.bus = bus
            self.adapter = adapter
            self.profile = profile
            self.limits = limits
            self.clock = clock
            removal = DeviceRemoval(bus: bus, adapter: adapter)
        }

        /// Returns whether a link to this device was made here or is being made.
        func isCalled(_ device: String) -> Bool { state.withLock { $0.places[device] != nil } }

        /// The number of occupied places, which tests compare.
        var count: Int { state.withLock { $0.places.count } }

        /// Starts allowing links.
        func open() { state.withLock { $0.isOpen = true } }

        /// Ends every link and attempt, and returns when all devices are gone or `DeviceRemoval.closing` has passed.
        func close() async {
            let links = state.withLock { state in
                state.isOpen = false
                return state.places.values.compactMap(\.link)
            }
            for link in links { link.handle(.close) }
            await departures.wait(on: clock) { state.withLock { $0.places.isEmpty } }
        }

        /// Connects to a device that was heard and finds its service.
        ///
        /// - Throws: `LinkError.timedOut`; `closed` if the task is cancelled, no links are allowed, or there are too
        ///   many; `unreachable` if the device is not there, has connected to us, or does not serve Inkling.
        func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> GATTLink {
            let device = address.devicePath(below: adapter)
            guard let number = take(device) else { throw .closed }
            let resolved = follow(device, number)
            let result = await within(timeout, on: clock) { await self.prepare(device, resolved) }
            guard case .success(let peer) = result, !Task.isCancelled else {
                if case .failure(.unreachable(EALREADY)) = result {
                    // It has connected to us, and is served there.
                    gone(device, number)
                } else {
                    giveUp(device, number)
                }
                if case .failure(let error) = result { throw Task.isCancelled ? .closed : error }
                throw .closed
            }
            let link = GATTLink(
                device, address: address, .made, limits: limits, clock: clock, actions: actions(number))
            if let mtu = peer.mtu { link.handle(.mtu(mtu)) }
            let isAllowed = state.withLock { state in
                guard state.isOpen, state.places[device]?.number == number else { return false }
                state.places[device]?.link = link
                state.places[device]?.peer = peer
                return true
            }
            guard isAllowed else {
                giveUp(device, number)
                throw .closed
            }
            return link
        }

        // MARK: Connecting

        private func take(_ device: String) -> UInt64? {
            state.withLock { state in
                guard state.isOpen, state.places[device] == nil, state.places.count < Self.linkLimit else { return nil }
                state.count += 1
                state.places[device] = Place(number: state.count)
                return state.count
            }
        }

        /// Follows a device's signals until it is gone. The stream has an element when its services are resolved.
        private func follow(_ device: String, _ number: UInt64) -> AsyncStream<Void> {
            let (resolved, noteResolved) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            // One subscription for the device and its characteristics keeps their changes in order.
            let changes = bus.signals([
                BusRule(
                    sender: BlueZName.service, interface: BusInterface.properties, member: "PropertiesChanged",
                    path: device, includesBelow: true)
            ])
            let task = Task { [weak self] in
                for await event in changes {
                    guard let self, self.take(event, of: device, number, noteResolved) else { break }
                }
                noteResolved.finish()
                self?.giveUp(device, number)
            }
            state.withLock { $0.places[device]?.task = task }
            return resolved
        }

        /// Handles a change of a device or its characteristics; returns false if the device is gone.
        private func take(
            _ event: BusEvent, of device: String, _ number: UInt64, _ noteResolved: AsyncStream<Void>.Continuation
        ) -> Bool {
            let place = state.withLock { $0.places[device] }
            // After lost changes, notifications may be missing, and later ones would make no sense.
            guard case .signal(let signal) = event, let place, place.number == number else { return false }
            guard signal.arguments.count == 3, let values = signal.arguments[1].asProperties else { return true }
            switch signal.arguments[0].asString {
            case BlueZName.device where signal.path == device:
                if values["ServicesResolved"] == .bool(true) { noteResolved.yield() }
                return values["Connected"] != .bool(false)
            case BlueZName.gattCharacteristic where signal.path == place.peer?.output:
                if let fragment = values["Value"]?.asBytes { place.link?.handle(.fragment(fragment)) }
                return true
            default: return true
            }
        }

        /// Connects and finds the service.
        private func prepare(_ device: String, _ resolved: AsyncStream<Void>) async -> Result<GATTPeer, LinkError> {
            do throws(BusError) {
                // BlueZ would connect to a public address over BR/EDR, from the adapter's public address.
                guard let properties = await bus.properties(of: device), DeviceRemoval.isOurs(device, properties) else {
                    return .failure(.unreachable(code: EADDRNOTAVAIL))
                }
                guard properties["Connected"] == .bool(false) else { return .failure(.unreachable(code: EALREADY)) }
                _ = try await bus.call(
                    BlueZName.service, device, BlueZName.device, "Connect", timeout: Self.connectTimeout)
                let isResolved = try await bus.property(
                    BlueZName.service, device, BlueZName.device, "ServicesResolved")
                if isResolved != .bool(true) { for await _ in resolved { break } }
                let objects = try await bus.managedObjects(of: BlueZName.service)
                guard let peer = GATTPeer(of: device, in: objects, profile: profile) else {
                    return .failure(.unreachable(code: EPROTONOSUPPORT))
                }
                return .success(peer)
            } catch {
                return .failure(Self.linkError(error))
            }
        }

        /// Longer than any caller waits.
        private static let connectTimeout = Duration.seconds(30)

        /// Gives up a place: disconnects the device and makes BlueZ forget it.
        private func giveUp(_ device: String, _ number: UInt64) {
            let link = state.withLock { state -> GATTLink?? in
                guard state.places[device]?.number == number, state.places[device]?.isLeaving == false else {
                    return nil
                }
                state.places[device]?.isLeaving = true
                return .some(state.places[device]?.link)
            }
            guard let link else { return }
            link?.handle(.lost)
            Task { [weak self, removal] in
                await removal.remove(device)
                self?.gone(device, number)
            }
        }

        private func gone(_ device: String, _ number: UInt64) {
            let place = state.withLock { state -> Place? in
                guard state.places[device]?.number == number else { return nil }
                return state.places.removeValue(forKey: device)
            }
            place?.task?.cancel()
            place?.link?.handle(.lost)
            departures.note(areOver: state.withLock { $0.places.isEmpty })
        }

        // MARK: A link

        private func actions(_ number: UInt64) -> GATTLink.Actions {
            GATTLink.Actions(
                write: { [weak self] link, fragment in
                    Task { link.handle(await self?.write(fragment, over: link) == true ? .written : .writeFailed) }
                },
                disconnect: { [weak self] link in self?.giveUp(link.device, number) },
                promoted: { _, _ in },
                readTag: { [weak self] link, timeout in
                    await self?.readTag(over: link, within: timeout) ?? .failure(.closed)
                })
        }

        private func write(_ fragment: [UInt8], over link: GATTLink) async -> Bool {
            guard let place = state.withLock({ $0.places[link.device] }), let peer = place.peer else { return false }
            do throws(BusError) {
                if !place.isSubscribed {
                    _ = try await bus.call(BlueZName.service, peer.output, BlueZName.gattCharacteristic, "StartNotify")
                    state.withLock { $0.places[link.device]?.isSubscribed = true }
                }
                _ = try await bus.call(
                    BlueZName.service, peer.input, BlueZName.gattCharacteristic, "WriteValue",
                    [.bytes(fragment), .properties(["type": .string("command")])])
                return true
            } catch {
                return false
            }
        }

        private func readTag(over link: GATTLink, within timeout: Duration) async -> Result<RecognitionTag, LinkError> {
            guard let peer = state.withLock({ $0.places[link.device]?.peer }) else { return .failure(.closed) }
            do throws(BusError) {
                let reply = try await bus.call(
                    BlueZName.service, peer.tag, BlueZName.gattCharacteristic, "ReadValue", [.properties([:])],
                    expecting: "ay", timeout: timeout)
                guard let octets = reply.first?.asBytes.flatMap({ Octets16($0.span) }) else { return .failure(.closed) }
                return .success(RecognitionTag(octets))
            } catch .noReply {
                return .failure(.timedOut)
            } catch {
                return .failure(.closed)
            }
        }

        private static func linkError(_ error: BusError) -> LinkError {
            switch error {
            case .noReply: .timedOut
            case .closed: .closed
            default: .unreachable(code: EHOSTUNREACH)
            }
        }
    }
#endif

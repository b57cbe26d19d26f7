#if Node
    internal import InklingEngine
    internal import InklingKeys
    internal import InklingNode
    internal import InklingWire
    internal import NIOCore

    /// A session, its channel, and the devices to which the ESPHome device connects for this node. The session's
    /// messages leave in the order in which they were encrypted.
    actor ESPHomeConnection {
        /// A called device.
        private struct Place {
            let number: UInt64
            var call: ESPHomeCall
            var link: GATTLink?
            /// The caller that waits until the device is connected and its service found.
            var connecting: CheckedContinuation<Result<Int, LinkError>, Never>?
            var reading: CheckedContinuation<RecognitionTag?, Never>?
            /// The moment of the disconnect request.
            var left: Tick?
        }

        /// The largest number of simultaneous calls: an ESPHome device's default.
        static let callLimit = 3
        /// The time in ms that a device that was left keeps its place without confirmation of the disconnect.
        static let leaveLimit: UInt64 = 10_000

        private var session: ESPHomeSession
        private nonisolated let channel: any Channel
        private let profile: ApplicationProfile
        private let clock: any NodeClock
        private var places: [DeviceAddress: Place] = [:]
        private var count: UInt64 = 0
        /// The reason why the session ended; `nil` while it lasts.
        private(set) var failure: AntennaError?

        init(
            _ settings: ESPHomeSession.Settings, _ channel: any Channel, profile: ApplicationProfile,
            clock: any NodeClock
        ) throws(ESPHomeError) {
            var generator = SystemRandomNumberGenerator()
            session = try ESPHomeSession(settings, ephemeral: NoiseKeyPair(from: &generator), at: clock.tick)
            self.channel = channel
            self.profile = profile
            self.clock = clock
        }

        func begin() { _ = perform(session.begin()) }

        func receive(_ bytes: ByteBuffer, at now: Tick) -> [ESPHomeSession.Effect] {
            perform(session.receive(bytes.readableBytesView, at: now))
        }

        func timePassed(at now: Tick) {
            _ = perform(session.timePassed(at: now))
            for (address, place) in places {
                guard let left = place.left else { continue }
                if now.milliseconds(since: left) >= Self.leaveLimit { change(address) { $0.end() } }
            }
        }

        /// Disconnects every device, says goodbye and closes.
        func leave() {
            for address in places.keys { change(address) { $0.leave() } }
            _ = perform(session.leave())
            channel.close(promise: nil)
        }

        /// Ends every remaining call, after the channel has closed.
        func ended() {
            for address in places.keys { change(address) { $0.end() } }
        }

        /// Closes the connection, so that a new one is made.
        nonisolated func close() { channel.close(promise: nil) }

        // MARK: Calls

        /// Connects to a device and finds its service.
        ///
        /// - Throws: `LinkError.timedOut`; `closed` if the task is cancelled or there are too many calls; `unreachable`
        ///   if the device cannot be reached or does not serve Inkling.
        func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> GATTLink {
            guard address.isPrivate, session.mayAsk, places[address] == nil, places.count < Self.callLimit else {
                throw .closed
            }
            count += 1
            let number = count
            places[address] = Place(number: number, call: ESPHomeCall(profile))
            let result = await within(timeout, on: clock) { await self.connected(address, number) }
            guard case .success(let mtu) = result, !Task.isCancelled, places[address]?.number == number,
                places[address]?.call.isOpen == true
            else {
                leave(address, number)
                if case .failure(let error) = result { throw Task.isCancelled ? .closed : error }
                throw .closed
            }
            let link = GATTLink(
                "\(address)", address: address, .made, limits: GATTLimits(), clock: clock,
                actions: actions(address, number))
            link.handle(.mtu(mtu))
            places[address]?.link = link
            return link
        }

        private func connected(_ address: DeviceAddress, _ number: UInt64) async -> Result<Int, LinkError> {
            await withCheckedContinuation { continuation in
                guard places[address]?.number == number, places[address]?.call.isIdle == true else {
                    return continuation.resume(returning: .failure(.closed))
                }
                places[address]?.connecting = continuation
                change(address) { $0.begin() }
            }
        }

        private func actions(_ address: DeviceAddress, _ number: UInt64) -> GATTLink.Actions {
            GATTLink.Actions(
                write: { [weak self] link, fragment in
                    Task { [weak self] in
                        if await self?.write(fragment, to: address, number) != true { link.handle(.writeFailed) }
                    }
                },
                disconnect: { [weak self] _ in Task { [weak self] in await self?.leave(address, number) } },
                promoted: { _, _ in },
                readTag: { [weak self, clock] _, timeout in
                    await within(timeout, on: clock) { [weak self] in
                        guard let tag = await self?.readTag(of: address, number) else { return .failure(.closed) }
                        return .success(tag)
                    }
                })
        }

        private func leave(_ address: DeviceAddress, _ number: UInt64) {
            guard places[address]?.number == number else { return }
            change(address) { $0.leave() }
        }

        /// Begins to write a fragment; returns false if the device is gone.
        private func write(_ fragment: [UInt8], to address: DeviceAddress, _ number: UInt64) -> Bool {
            guard places[address]?.number == number else { return false }
            change(address) { $0.write(fragment) }
            return true
        }

        private func readTag(of address: DeviceAddress, _ number: UInt64) async -> RecognitionTag? {
            guard places[address]?.number == number, places[address]?.reading == nil else { return nil }
            return await withCheckedContinuation { continuation in
                places[address]?.reading = continuation
                change(address) { $0.readTag() }
            }
        }

        /// Updates a call and carries out its effects.
        private func change(_ address: DeviceAddress, _ change: (inout ESPHomeCall) -> [ESPHomeCall.Effect]) {
            guard var call = places[address]?.call else { return }
            let effects = change(&call)
            places[address]?.call = call
            for effect in effects { carryOut(effect, at: address) }
        }

        private func carryOut(_ effect: ESPHomeCall.Effect, at address: DeviceAddress) {
            switch effect {
            case .ask(let request):
                if request == .disconnect {
                    resume(address, with: .closed)
                    places[address]?.left = session.lastMoment
                }
                _ = perform(session.ask(request, of: address))
            case .found(let mtu):
                places[address]?.connecting?.resume(returning: .success(mtu))
                places[address]?.connecting = nil
            case .failed(let error): resume(address, with: error)
            case .tag(let tag):
                places[address]?.reading?.resume(returning: tag)
                places[address]?.reading = nil
            case .fragment(let bytes): places[address]?.link?.handle(.fragment(bytes))
            case .writeFailed: places[address]?.link?.handle(.writeFailed)
            case .ended:
                resume(address, with: .closed)
                places.removeValue(forKey: address)?.link?.handle(.lost)
            }
        }

        /// Ends all waits for a device.
        private func resume(_ address: DeviceAddress, with error: LinkError) {
            places[address]?.connecting?.resume(returning: .failure(error))
            places[address]?.connecting = nil
            places[address]?.reading?.resume(returning: nil)
            places[address]?.reading = nil
        }

        // MARK: The channel

        private func perform(_ effects: [ESPHomeSession.Effect]) -> [ESPHomeSession.Effect] {
            for effect in effects {
                switch effect {
                case .send(let bytes): channel.writeAndFlush(channel.allocator.buffer(bytes: bytes), promise: nil)
                case .fail(let error):
                    failure = error
                    channel.close(promise: nil)
                case .agreed: channel.close(promise: nil)
                case .replied(let address, let reply): change(address) { $0.take(reply) }
                case .written(let address): places[address]?.link?.handle(.written)
                case .listening, .heard: break
                }
            }
            return effects
        }
    }
#endif

#if Node
    public import InklingEngine
    public import InklingKeys
    public import InklingNode
    public import InklingWire
    internal import NIOCore
    internal import NIOPosix
    internal import Synchronization

    /// A Bluetooth proxy running ESPHome, over TCP (`Specs/antennas.md`).
    ///
    /// It scans passively. It connects to devices only on request, because each of them then sees its public address.
    public final class ESPHomeAntenna: Antenna {
        /// The port of the native API.
        public static let port: UInt16 = 6053
        /// The longest time for a connection attempt.
        private static let connectTimeout = TimeAmount.seconds(10)
        /// The interval at which the session checks its timeouts.
        private static let turn = Duration.seconds(5)

        public let facts: AntennaFacts
        private let host: String
        private let port: UInt16
        private let settings: ESPHomeSession.Settings
        private let clock: any NodeClock
        private let profile: ApplicationProfile
        private let current = Mutex<ESPHomeConnection?>(nil)

        /// Creates an antenna.
        ///
        /// - Parameters:
        ///   - name: the user's name for it.
        ///   - room: the room in which it stands.
        ///   - host: its name or address on the network.
        ///   - port: its TCP port.
        ///   - key: the 32-byte key of its API; `nil` for a device without encryption.
        ///   - deviceName: the name that the device must report; `nil` for any.
        ///   - isExclusive: whether it may be taken from another program, such as Home Assistant.
        ///   - canConnect: whether devices may be called through it.
        ///   - clock: the clock of the vault.
        ///   - profile: the profile of the application.
        public init(
            name: String, room: String?, host: String, port: UInt16 = ESPHomeAntenna.port,
            key: SecretBox<SecretBytes>?, deviceName: String? = nil, isExclusive: Bool,
            canConnect: Bool = false, clock: any NodeClock, profile: ApplicationProfile
        ) {
            // A device batches advertisements for 100 ms and does not say when it heard them.
            facts = AntennaFacts(
                name: name, source: .esphome, room: room, clockError: .milliseconds(100), hasAddresses: true,
                hasData: true, canConnect: canConnect, patience: .seconds(90))
            (self.host, self.port, self.clock, self.profile) = (host, port, clock, profile)
            settings = ESPHomeSession.Settings(
                key: key, name: deviceName, isExclusive: isExclusive, connects: canConnect)
        }

        public func listenAgain() { current.withLock { $0 }?.close() }

        public func connect(
            to address: DeviceAddress, within timeout: Duration
        ) async throws(LinkError) -> any TaggedLink {
            guard facts.canConnect, let connection = current.withLock({ $0 }) else { throw .closed }
            return try await connection.connect(to: address, within: timeout)
        }

        public func listen(_ report: @escaping @Sendable (AntennaReport) async -> Void) async {
            var wait = ESPHomeWait()
            while !Task.isCancelled {
                let begin = clock.read().tick
                let error = await connect(settings, report)
                guard !Task.isCancelled else { return }
                await report(.failed(error))
                let pause = wait.next(after: clock.read().tick.milliseconds(since: begin))
                try? await clock.sleep(until: clock.tick.advanced(byMilliseconds: pause))
            }
        }

        /// Connects once, checks whether the device can be an antenna, and leaves without a subscription.
        ///
        /// Returns the reason why it cannot, or `nil` if it can.
        public func tryOnce() async -> AntennaError? {
            var trial = settings
            trial.isTrial = true
            let hasAgreed = Mutex(false)
            let error = await connect(trial) { report in
                if case .listening = report { hasAgreed.withLock { $0 = true } }
            }
            return hasAgreed.withLock { $0 } ? nil : error
        }

        /// Makes one connection and listens until it ends; returns the reason for the end.
        private func connect(
            _ settings: ESPHomeSession.Settings, _ report: @escaping @Sendable (AntennaReport) async -> Void
        ) async -> AntennaError {
            let connected: NIOAsyncChannel<ByteBuffer, ByteBuffer>
            do {
                connected = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connectTimeout(Self.connectTimeout)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: Int(port)) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.closeOnExecution()
                            return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                        }
                    }
            } catch { return AntennaError(error) }
            let connection: ESPHomeConnection
            do throws(ESPHomeError) {
                connection = try ESPHomeConnection(
                    settings, connected.channel, profile: profile, clock: clock)
            } catch {
                // Releasing an unused channel would trap.
                try? await connected.executeThenClose { _, _ in }
                return error.ofAntenna
            }
            current.withLock { $0 = connection }
            defer { current.withLock { $0 = nil } }
            let clock = clock
            let turning = Task {
                while !Task.isCancelled {
                    try? await clock.sleep(until: clock.tick.advanced(by: Self.turn))
                    await connection.timePassed(at: clock.read().tick)
                }
            }
            // A separate task that is not cancelled: otherwise the connection would close before the goodbye.
            let hearing = Task { await hear(connected, connection, report) }
            await withTaskCancellationHandler {
                await hearing.value
            } onCancel: {
                Task { await connection.leave() }
            }
            turning.cancel()
            await connection.ended()
            return await connection.failure ?? .closed
        }

        /// Reports a connection's sightings until it ends.
        private func hear(
            _ connected: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ connection: ESPHomeConnection,
            _ report: @Sendable (AntennaReport) async -> Void
        ) async {
            var filter = AntennaFilter(profile)
            try? await connected.executeThenClose { inbound, _ in
                await connection.begin()
                for try await bytes in inbound {
                    let now = clock.read()
                    for effect in await connection.receive(bytes, at: now.tick) {
                        switch effect {
                        case .listening, .agreed: await report(.listening)
                        case .heard(let all):
                            for one in all {
                                if let news = filter.report(sighting(one, at: now), at: now.tick) { await report(news) }
                            }
                        case .send, .fail, .replied, .written: break
                        }
                    }
                }
            }
        }

        private func sighting(_ heard: ESPHomeAdvertisement, at now: ClockReading) -> AntennaSighting {
            let isPublic = heard.addressType & 1 == 0
            return AntennaSighting(
                .data(heard.data), from: heard.address, isPublic ? .public : .random, rssi: heard.rssi,
                observed: ObservedTime(
                    unixMilliseconds: now.unixMilliseconds, uncertainty: .milliseconds(100 * UInt64(now.rate))))
        }
    }

    extension AntennaError {
        fileprivate init(_ error: any Error) {
            switch error {
            case let error as IOError: self = .unreachable(code: error.errnoCode)
            case let error as NIOConnectionError:
                self =
                    error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }.first
                    .map { .unreachable(code: $0) } ?? .unreachable(code: 0)
            case ChannelError.connectTimeout: self = .timedOut
            default: self = .unreachable(code: 0)
            }
        }
    }
#endif

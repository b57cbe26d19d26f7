#if Node
    import InklingEngine
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingTerminal
    import InklingWire
    import Synchronization

    /// The antennas of another program, which publishes what they hear to an MQTT broker (`Specs/antennas.md`).
    ///
    /// It has its own connection, so that what a node hears does not delay what it publishes.
    final class BrokerAntenna: Antenna {
        private struct State {
            var client: MQTTClient?
            var connection = 0
        }

        let facts: AntennaFacts
        private let format: BrokerSighting.Format
        private let prefix: String
        private let broker: MQTTBroker
        private let clock: any NodeClock
        private let profile: ApplicationProfile
        private let state = Mutex(State())

        /// Creates an antenna.
        ///
        /// - Parameters:
        ///   - name: the user's name for it.
        ///   - room: the room of all sightings; nil to use the names of the program's nodes.
        ///   - format: the program.
        ///   - prefix: the topic under which it publishes.
        ///   - broker: the broker.
        ///   - clock: the clock of the vault.
        ///   - profile: the application's profile.
        init(
            name: String, room: String?, _ format: BrokerSighting.Format, below prefix: String, at broker: MQTTBroker,
            clock: any NodeClock, profile: ApplicationProfile
        ) {
            (self.format, self.prefix, self.broker, self.clock, self.profile) = (format, prefix, broker, clock, profile)
            // Neither program timestamps its sightings. ESPresense reports a device every five seconds at most; a
            // gateway reports what it collected in ten seconds, some seconds later.
            let clockError = Duration.seconds(format == .espresense ? 5 : 15)
            facts = AntennaFacts(
                name: name, source: format == .espresense ? .espresense : .openmqttgateway, room: room,
                clockError: clockError, hasAddresses: true, hasData: false, patience: .seconds(900))
        }

        func listenAgain() {
            let (client, connection) = state.withLock { ($0.client, $0.connection) }
            guard let client else { return }
            client.unsubscribe(format.filter(below: prefix), in: connection)
            client.subscribe(format.filter(below: prefix), .atMostOnce, in: connection)
        }

        func listen(_ report: @escaping @Sendable (AntennaReport) async -> Void) async {
            // A second connection with the same name would end the first.
            let name = "inkling-antenna-\(UInt64.random(in: 0...UInt64.max))"
            guard let client = MQTTClient(broker, name: name, will: nil) else {
                return await report(.failed(.unreachable(code: 0)))
            }
            state.withLock { $0.client = client }
            await withTaskCancellationHandler {
                await hear(client, report)
            } onCancel: {
                Task { await client.stop() }
            }
            state.withLock { $0.client = nil }
        }

        /// Reports what a client receives until it is stopped.
        private func hear(_ client: MQTTClient, _ report: @Sendable (AntennaReport) async -> Void) async {
            var filter = AntennaFilter(profile)
            var dropped: UInt64 = 0
            var faults: Set<BrokerSightingError> = []
            for await event in client.events {
                switch event {
                case .connected(let number):
                    state.withLock { $0.connection = number }
                    client.subscribe(format.filter(below: prefix), .atMostOnce, in: number)
                    await report(.listening)
                case .disconnected(let fault):
                    guard !Task.isCancelled else { continue }
                    await report(.failed(AntennaError(fault)))
                case .received(let message):
                    let now = clock.read()
                    do throws(BrokerSightingError) {
                        let sighting = try sighting(message, at: now)
                        if let news = filter.report(sighting, at: now.tick) { await report(news) }
                    } catch {
                        // Each fault once: a program of another version would repeat it in every message.
                        if faults.insert(error).inserted {
                            writeError("inkling: antenna \(printable(facts.name)): skipped a message: \(error)\n")
                        }
                        await report(.refused(1))
                    }
                }
                let total = client.dropped
                if total > dropped { await report(.dropped(Int(clamping: total - dropped))) }
                dropped = total
            }
        }

        private func sighting(
            _ message: MQTTMessage, at now: ClockReading
        ) throws(BrokerSightingError) -> AntennaSighting {
            guard !message.isRetained else { throw .retained }
            let uncertainty = facts.clockError.wholeMilliseconds * UInt64(now.rate)
            let parsed = try BrokerSighting.parse(
                topic: message.topic, payload: message.payload, format, below: prefix,
                observed: ObservedTime(
                    unixMilliseconds: now.unixMilliseconds, uncertainty: .milliseconds(uncertainty)))
            guard facts.room != nil else { return parsed }
            return AntennaSighting(
                parsed.content, from: parsed.address, parsed.addressType, rssi: Int(parsed.rssi),
                observed: parsed.observed)
        }
    }

    extension AntennaError {
        /// Creates the error of an antenna whose connection to a broker ended or failed for this reason.
        fileprivate init(_ fault: MQTTFault) {
            switch fault {
            case .unreachable(let code): self = .unreachable(code: code)
            case .unknownHost, .refused, .library: self = .unreachable(code: 0)
            case .wrongPassword: self = .wrongPassword
            case .tls, .unusableFiles: self = .noTLS
            case .timedOut: self = .timedOut
            case .closed, .tooSlow: self = .closed
            case .notInstalled: self = .notInstalled
            }
        }
    }
#endif

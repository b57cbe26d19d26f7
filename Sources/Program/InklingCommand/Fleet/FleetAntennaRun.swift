#if Node
    import InklingEngine
    import InklingFleet
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingTerminal

    /// The part of a fleet that sends what antennas hear to the matchers.
    struct FleetAntennaRun: FleetPart {
        private enum Input: Sendable {
            case antenna(AntennaReport, name: String, room: String?)
            case broker(MQTTClient.Event)
            case timer
            case stop
        }

        /// The interval of the timer.
        private static let turn = Duration.milliseconds(100)

        let name: String
        let topics: FleetTopics
        let broker: MQTTBroker
        let antennas: [any Antenna]
        let report: FleetReport
        private let inbox = Inbox<Input>()

        init(
            name: String, topics: FleetTopics, broker: MQTTBroker, antennas: [any Antenna], report: FleetReport
        ) {
            (self.name, self.topics, self.broker, self.antennas, self.report) = (name, topics, broker, antennas, report)
        }

        func stop() { inbox.post(.stop) }

        /// Runs until it is stopped, or until no one reads its events.
        func run() async throws(Failure) {
            let client = try FleetConnection.client(of: broker)
            await withTaskGroup(of: Void.self) { group in
                for antenna in antennas {
                    let facts = antenna.facts
                    group.addTask {
                        await antenna.listen { await inbox.put(.antenna($0, name: facts.name, room: facts.room)) }
                    }
                }
                group.addTask { for await event in client.events { await inbox.put(.broker(event)) } }
                group.addTask {
                    while !Task.isCancelled {
                        try? await Task.sleep(for: Self.turn)
                        await inbox.put(.timer)
                    }
                }
                await send(over: client)
                await client.stop()
                group.cancelAll()
            }
        }

        private func send(over client: MQTTClient) async {
            let source = "\(name)-\(FleetConnection.randomDigits())"
            let clock = SystemClock()
            var connection = FleetConnection(client, report)
            var outbox = SightingOutbox(source: source)
            var lost: UInt64 = 0
            await inbox.process { input in
                let now = clock.read()
                switch input {
                case .antenna(let news, let name, let room):
                    take(news, of: name, in: room, &outbox, at: now)
                case .broker(.connected(let number)):
                    connection.connected(number)
                    connection.subscribe(topics.leases)
                    connection.subscribe(topics.acknowledgements(of: source))
                    outbox.connected(at: now.tick)
                case .broker(.disconnected(let reason)): connection.disconnected(reason)
                case .broker(.received(let message)):
                    if topics.isLease(message.topic) {
                        guard !message.payload.isEmpty else { break }
                        let lease: LeaseMessage? = connection.parse(message, mayBeKept: true)
                        if let lease { outbox.heard(lease.fence) }
                    } else {
                        let acknowledgement: Acknowledgement? = connection.parse(message)
                        if let acknowledgement { outbox.heard(acknowledgement) }
                    }
                case .timer: break
                case .stop: inbox.finish()
                }
                for message in outbox.due(at: now.tick) { connection.publish(message, at: topics.sightings) }
                _ = connection.hasDropped()
                // Report once, and again whenever the number has doubled.
                if outbox.lost > 0, outbox.lost >= 2 * lost {
                    lost = outbox.lost
                    report.tell(.lost, count: lost)
                }
            }
        }

        private func take(
            _ news: AntennaReport, of name: String, in room: String?, _ outbox: inout SightingOutbox,
            at now: ClockReading
        ) {
            switch news {
            case .heard(let minor, let sighting):
                let epoch =
                    Epoch(containing: sighting.observed.unixMilliseconds / 1000) ?? Epoch(containing: now.unixSeconds)
                let device = epoch.flatMap { outbox.number(of: sighting.address?.value, in: $0) }
                let age = now.unixMilliseconds - min(sighting.observed.unixMilliseconds, now.unixMilliseconds)
                // A line may arrive late and state when it was heard.
                let heard = Tick(milliseconds: now.tick.milliseconds - min(age, now.tick.milliseconds))
                outbox.add(
                    HeardBeacon(
                        time: sighting.observed.unixMilliseconds,
                        uncertainty: min(UInt64(sighting.observed.uncertainty / .milliseconds(1)), 3_600_000),
                        minor: minor.value, device: device, rssi: sighting.rssi, room: sighting.room ?? room),
                    at: heard)
            case .failed(let error): writeError("warning: antenna \(printable(name)): \(error); trying again\n")
            case .ended: writeError("warning: antenna \(printable(name)) has ended\n")
            case .listening, .others, .refused, .dropped: break
            }
        }
    }
#endif

#if Node
    import InklingEngine
    import InklingFleet
    import InklingKeys
    import InklingLinux
    import InklingMatching
    import InklingTerminal

    /// The part of a fleet that matches its sightings, one by one, and keeps none.
    struct FleetMatchRun: FleetPart {
        private enum Input: Sendable {
            case broker(MQTTClient.Event)
            case stop
        }

        let topics: FleetTopics
        let broker: MQTTBroker
        let matcher: Matcher
        let labels: [String]
        let report: FleetReport
        private let inbox = Inbox<Input>()

        init(topics: FleetTopics, broker: MQTTBroker, matcher: Matcher, labels: [String], report: FleetReport) {
            (self.topics, self.broker, self.matcher, self.labels, self.report) = (
                topics, broker, matcher, labels, report
            )
        }

        func stop() { inbox.post(.stop) }

        /// Runs until it is stopped.
        func run() async throws(Failure) {
            let client = try FleetConnection.client(of: broker)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await event in client.events { await inbox.put(.broker(event)) } }
                await match(over: client)
                await client.stop()
            }
        }

        private func match(over client: MQTTClient) async {
            var connection = FleetConnection(client, report)
            await inbox.process { input in
                switch input {
                case .broker(.connected(let number)):
                    connection.connected(number)
                    connection.subscribe(topics.sharedSightings)
                case .broker(.disconnected(let reason)): connection.disconnected(reason)
                case .broker(.received(let message)):
                    let sighting: SightingMessage? = connection.parse(message)
                    if let sighting { answer(sighting, connection) }
                case .stop: inbox.finish()
                }
                _ = connection.hasDropped()
            }
        }

        private func answer(_ sighting: SightingMessage, _ connection: FleetConnection) {
            let heard = ObservedTime(
                unixMilliseconds: sighting.beacon.time, uncertainty: .milliseconds(sighting.beacon.uncertainty))
            let minor = BeaconMinor(sighting.beacon.minor)
            // An unanswered sighting is sent again, and another matcher may have predictions for its time.
            guard let answer = try? matcher.match(Sighting(observed: heard, name: nil, minor: minor)), answer.isCovered
            else { return }
            guard Set(answer.byMinor.map(\.contact)).count == 1, let owner = answer.byMinor.first,
                labels.indices.contains(owner.contact), !labels[owner.contact].isEmpty
            else {
                let nobodys = Acknowledgement(fence: nil, sequences: [sighting.id.sequence])
                return connection.publish(nobodys, at: topics.acknowledgements(of: sighting.id.source))
            }
            let match = MatchMessage(
                id: sighting.id, age: sighting.age, contact: labels[owner.contact], device: owner.device.number,
                rssi: sighting.beacon.rssi, room: sighting.beacon.room)
            connection.publish(match, at: topics.matches)
        }
    }
#endif

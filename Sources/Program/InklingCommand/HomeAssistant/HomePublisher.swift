#if Node
    import InklingAccess
    import InklingEngine
    import InklingHomeAssistant
    import InklingJSON
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingTerminal

    /// The publisher that tells a broker who is home, as an announcer decides.
    struct HomePublisher: Sendable {
        /// The interval at which the node is asked about its contacts, besides its own reports, in milliseconds.
        private static let interval: UInt64 = 5_000

        private enum Input: Sendable {
            case node(NodeEvent)
            case broker(MQTTClient.Event)
            case timer
        }

        let node: Node
        private let ids: OpaqueIDs
        private let settings: HomeSettings
        private let client: MQTTClient
        private let address: MQTTAddress

        /// Starts connecting to a broker.
        ///
        /// - Throws: `Failure` when the broker key of the home cannot be created or read.
        init(_ broker: MQTTBroker, _ settings: HomeSettings, for node: Node, in home: String) throws(Failure) {
            let keyFile = "\(home)/broker.key"
            try createKeyFile(keyFile)
            let ids = OpaqueIDs(key: try readKey(keyFile))
            let will = HomeAnnouncer(node: ids.node, settings).will
            guard let client = MQTTClient(broker, name: "inkling-\(ids.node)", will: MQTTMessage(will)) else {
                throw Failure(.unavailable, "cannot create a thread for the connection to the broker")
            }
            self.node = node
            self.ids = ids
            self.settings = settings
            self.client = client
            address = broker.address
        }

        /// Publishes until the events of the node end, and then says goodbye to the broker.
        func run(_ events: NodeStream<NodeEvent>) async {
            let inbox = Inbox<Input>()
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await event in events where Self.matters(event) { inbox.post(.node(event)) }
                    inbox.finish()
                }
                group.addTask { for await event in client.events { await inbox.put(.broker(event)) } }
                group.addTask { await publish(inbox) }
            }
        }

        private func publish(_ inbox: Inbox<Input>) async {
            var announcer = HomeAnnouncer(node: ids.node, settings)
            var generator = SystemRandomNumberGenerator()
            var connection = 0
            var fault: MQTTFault?
            var dropped: UInt64 = 0
            let clock = SystemClock()
            func carryOut(_ event: HomeAnnouncer.Event) {
                for effect in announcer.handle(event, at: clock.read().tick, using: &generator) {
                    switch effect {
                    case .publish(let publication): client.publish(MQTTMessage(publication), in: connection)
                    case .subscribe(let filter): client.subscribe(filter, in: connection)
                    case .unsubscribe(let filter): client.unsubscribe(filter, in: connection)
                    }
                }
            }
            carryOut(.reports(await reports()))
            var timer = Self.timer(announcer.wake, at: clock.read().tick, inbox)
            await inbox.process { input in
                var isTimerOver = false
                switch input {
                case .node(.arrived(let user)): carryOut(.arrived(ids.contact(user)))
                case .node(.left(let user)): carryOut(.left(ids.contact(user)))
                case .node: break
                case .broker(.connected(let number)):
                    connection = number
                    note(nil, after: &fault)
                    carryOut(.connected)
                case .broker(.disconnected(let reason)):
                    note(reason, after: &fault)
                    carryOut(.disconnected)
                case .broker(.received(let message)):
                    carryOut(
                        .received(topic: message.topic, payload: message.payload, isRetained: message.isRetained))
                case .timer:
                    isTimerOver = true
                    if let wake = announcer.wake, wake <= clock.read().tick { carryOut(.timerFired) }
                }
                note(client.dropped, after: &dropped)
                if case .broker(.received) = input {} else { carryOut(.reports(await reports())) }
                if isTimerOver || announcer.wake.map({ $0 < timer.due }) == true {
                    timer.task.cancel()
                    timer = Self.timer(announcer.wake, at: clock.read().tick, inbox)
                }
            }
            timer.task.cancel()
            carryOut(.stopping)
            await client.stop()
        }

        /// Returns whether an event can change what is published.
        private static func matters(_ event: NodeEvent) -> Bool {
            switch event {
            case .arrived, .left, .presence, .visibility, .silent, .showing, .renewed, .missed: true
            default: false
            }
        }

        private static func timer(
            _ wake: Tick?, at now: Tick, _ inbox: Inbox<Input>
        ) -> (task: Task<Void, Never>, due: Tick) {
            let latest = now.advanced(by: .milliseconds(interval))
            let due = min(wake ?? latest, latest)
            let task = Task {
                if (try? await Task.sleep(for: max(now.duration(to: due), .zero))) != nil { inbox.post(.timer) }
            }
            return (task, due)
        }

        private func reports() async -> [ContactReport] {
            await node.presences().map { presence in
                ContactReport(
                    id: ids.contact(presence.user), name: presence.name, isHome: presence.hasArrived,
                    confidence: presence.confidence, lastSeen: presence.lastSeen.map { timestamp($0) },
                    room: presence.room, isWatched: presence.isWatched)
            }
        }

        /// Warns the operator when messages of the broker were dropped, and again whenever the number has doubled.
        private func note(_ dropped: UInt64, after last: inout UInt64) {
            guard dropped > 0, dropped >= last * 2 else { return }
            last = dropped
            writeError("warning: \(address): dropped \(dropped) messages of the broker: the queue was full\n")
        }

        /// Tells the operator once when the broker cannot be reached, and once when it can again.
        private func note(_ fault: MQTTFault?, after last: inout MQTTFault?) {
            guard fault != last else { return }
            last = fault
            if let fault {
                NodeLog.write(
                    .warning, .brokerFailed, ["broker": .text("\(address)"), "reason": .text("\(fault)")],
                    sentence: "warning: \(address): \(fault); trying again")
            } else {
                NodeLog.write(
                    .info, .brokerConnected, ["broker": .text("\(address)")], sentence: "\(address): connected")
            }
        }
    }

    extension MQTTMessage {
        /// Creates the message for a publication of an announcer.
        init(_ publication: HomeMessage) {
            self.init(
                topic: publication.topic, payload: Array(publication.payload.utf8), isRetained: publication.isRetained)
        }
    }
#endif

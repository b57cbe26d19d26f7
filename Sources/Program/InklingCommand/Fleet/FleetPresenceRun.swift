#if Node
    import InklingFleet
    import InklingKeys
    import InklingLinux
    import InklingNode
    import InklingTerminal
    import Synchronization

    /// The part of a fleet that competes for its lease, and counts its matches while it holds it.
    final class FleetPresenceRun: FleetPart {
        private enum Input: Sendable {
            case broker(MQTTClient.Event)
            case timer
        }

        /// The reason why a connection is over.
        private enum End {
            case stopped
            /// The lease or a message was lost: it starts over with a new connection.
            case lost
        }

        /// The interval of the timer.
        private static let turn = Duration.milliseconds(50)

        let topics: FleetTopics
        let broker: MQTTBroker
        let leaveAfter: Duration
        let leaseSeconds: UInt64
        let report: FleetReport
        private let own = FleetConnection.randomDigits()
        private let isStopped = Mutex(false)

        init(
            topics: FleetTopics, broker: MQTTBroker, leaveAfter: Duration, leaseSeconds: UInt64, report: FleetReport
        ) {
            (self.topics, self.broker, self.leaveAfter) = (topics, broker, leaveAfter)
            (self.leaseSeconds, self.report) = (leaseSeconds, report)
        }

        func stop() { isStopped.withLock { $0 = true } }

        /// Runs until it is stopped, or until no one reads its events.
        func run() async throws(Failure) {
            var end = End.lost
            while case .lost = end {
                end = await serve(try FleetConnection.client(of: broker))
            }
        }

        /// Serves one client until it is stopped or the lease is lost.
        private func serve(_ client: MQTTClient) async -> End {
            let inbox = Inbox<Input>()
            return await withTaskGroup(of: Void.self) { group in
                group.addTask { for await event in client.events { await inbox.put(.broker(event)) } }
                group.addTask {
                    while !Task.isCancelled {
                        try? await Task.sleep(for: Self.turn)
                        await inbox.put(.timer)
                    }
                }
                var part = PresencePart(self, client)
                var (end, isOver) = (End.stopped, false)
                await inbox.process { input in
                    guard !isOver else { return }
                    let isStopped = isStopped.withLock { $0 }
                    let goesOn =
                        switch input {
                        case _ where isStopped: part.leave()
                        case .broker(let event): part.take(event)
                        case .timer: part.timePassed()
                        }
                    guard !goesOn else { return }
                    isOver = true
                    if !isStopped { end = .lost }
                    inbox.finish()
                }
                group.cancelAll()
                await client.stop()
                return end
            }
        }

        /// The decisions of one client, and their effects.
        private struct PresencePart {
            let run: FleetPresenceRun
            let clock = SystemClock()
            var connection: FleetConnection
            var lease: LeaseMachine
            var book: PresenceBook
            var generator = SystemRandomNumberGenerator()

            init(_ run: FleetPresenceRun, _ client: MQTTClient) {
                self.run = run
                connection = FleetConnection(client, run.report)
                lease = LeaseMachine(own: run.own, seconds: run.leaseSeconds)
                book = PresenceBook(leaveAfter: run.leaveAfter)
            }

            /// Handles an event of the broker; returns false when it must start over.
            mutating func take(_ event: MQTTClient.Event) -> Bool {
                switch event {
                case .connected(let number):
                    connection.connected(number)
                    book.begin()
                    for filter in [run.topics.leases, run.topics.contacts, run.topics.matches] {
                        connection.subscribe(filter)
                    }
                    return decide(.connected)
                case .disconnected(let reason):
                    connection.disconnected(reason)
                    return decide(.disconnected)
                case .received(let message): return !connection.hasDropped() && receive(message)
                }
            }

            private mutating func receive(_ message: MQTTMessage) -> Bool {
                switch message.topic {
                case run.topics.matches:
                    guard let match: MatchMessage = connection.parse(message) else { return true }
                    return carryOut(book.hear(match, at: clock.read()))
                case let topic where run.topics.isLease(topic):
                    guard !message.payload.isEmpty,
                        let heard: LeaseMessage = connection.parse(message, mayBeKept: true),
                        run.topics.lease(heard.fence) == topic
                    else { return true }
                    return decide(.heard(heard))
                case let topic where run.topics.isContact(topic):
                    if message.payload.isEmpty {
                        book.forget { run.topics.contact($0, $1) == topic }
                        return true
                    }
                    guard let record: ContactRecord = connection.parse(message, mayBeKept: true),
                        run.topics.contact(record.contact, record.fence) == topic
                    else { return true }
                    lease.note(record.fence)
                    return carryOut(book.hear(record))
                default: return true
                }
            }

            /// Performs what is due; returns false when it must start over.
            mutating func timePassed() -> Bool {
                let now = clock.read()
                if let wake = lease.wake, wake <= now.tick, !decide(.timerFired) { return false }
                guard let wake = book.wake, wake <= now.tick else { return true }
                return carryOut(book.timerFired(at: now))
            }

            /// Gives up the lease.
            mutating func leave() -> Bool {
                _ = decide(.stopping)
                return false
            }

            private mutating func decide(_ event: LeaseMachine.Event) -> Bool {
                let now = clock.read()
                var goesOn = true
                for effect in lease.handle(event, at: now.tick, using: &generator) {
                    switch effect {
                    case .publish(let message):
                        connection.publish(message, at: run.topics.lease(message.fence), kept: true)
                    case .forget(let fence): connection.forget(run.topics.lease(fence))
                    case .took(let fence):
                        book.take(fence, at: now)
                        run.report.tell(.holding, number: fence.number)
                    case .lost:
                        book.lose()
                        run.report.tell(.standingBy)
                        goesOn = false
                    }
                }
                return goesOn
            }

            /// Publishes in order while the lease allows it; returns false when it must start over, being ahead of what
            /// is stored.
            private mutating func carryOut(_ effects: [PresenceBook.Effect]) -> Bool {
                for effect in effects {
                    guard lease.mayWrite(at: clock.read().tick) else {
                        run.report.tell(.standingBy)
                        return false
                    }
                    switch effect {
                    case .store(let record):
                        connection.publish(record, at: run.topics.contact(record.contact, record.fence), kept: true)
                    case .forget(let contact, let fence): connection.forget(run.topics.contact(contact, fence))
                    case .acknowledge(let id):
                        connection.publish(
                            Acknowledgement(fence: lease.fence, sequences: [id.sequence]),
                            at: run.topics.acknowledgements(of: id.source))
                    case .arrived(let contact, let visit): run.report.tell(.arrived, contact: contact, visit: visit)
                    case .left(let contact, let visit): run.report.tell(.left, contact: contact, visit: visit)
                    }
                }
                return true
            }
        }
    }
#endif

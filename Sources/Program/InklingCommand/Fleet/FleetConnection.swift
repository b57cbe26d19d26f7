#if Node
    import InklingFleet
    import InklingLinux
    import InklingTerminal

    /// The connection of a part of a fleet. It reports a repeated fault once, and each reason for refusing a message
    /// once.
    struct FleetConnection {
        let client: MQTTClient
        private let report: FleetReport
        private(set) var number = 0
        private var fault: MQTTFault?
        private var dropped: UInt64 = 0
        private var refused: Set<String> = []

        init(_ client: MQTTClient, _ report: FleetReport) { (self.client, self.report) = (client, report) }

        /// Starts a client with a unique name.
        ///
        /// - Throws: `Failure` when the system provides no thread.
        static func client(of broker: MQTTBroker) throws(Failure) -> MQTTClient {
            let name = "inkling-fleet-\(randomDigits())"
            guard let client = MQTTClient(broker, name: name, will: nil) else {
                throw Failure(.unavailable, "cannot create a thread for the connection to the broker")
            }
            return client
        }

        /// Returns 16 random hexadecimal digits.
        static func randomDigits() -> String {
            let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }

        mutating func connected(_ number: Int) {
            self.number = number
            fault = nil
            report.tell(.connected)
        }

        mutating func disconnected(_ reason: MQTTFault) {
            if reason != fault { report.tell(.disconnected, reason: "\(reason)") }
            fault = reason
        }

        /// Parses a message; returns nil if it is refused.
        mutating func parse<Message: FleetMessage>(
            _ message: MQTTMessage, mayBeKept: Bool = false
        ) -> Message? {
            do throws(FleetMessageError) {
                guard mayBeKept || !message.isRetained else {
                    note("it is a retained message")
                    return nil
                }
                return try Message(parsing: message.payload)
            } catch {
                note(error.description)
                return nil
            }
        }

        private mutating func note(_ reason: String) {
            if refused.insert(reason).inserted { report.tell(.refused, reason: reason) }
        }

        /// Returns whether messages were dropped since the last call.
        mutating func hasDropped() -> Bool {
            let total = client.dropped
            guard total > dropped else { return false }
            if total >= 2 * dropped { report.tell(.dropped, count: total) }
            dropped = total
            return true
        }

        func subscribe(_ filter: String) { client.subscribe(filter, in: number) }

        func publish(_ message: some FleetMessage, at topic: String, kept: Bool = false) {
            client.publish(MQTTMessage(topic: topic, payload: message.payload, isRetained: kept), in: number)
        }

        /// Makes the broker delete its retained message at a topic.
        func forget(_ topic: String) {
            client.publish(MQTTMessage(topic: topic, payload: [], isRetained: true), in: number)
        }
    }
#endif

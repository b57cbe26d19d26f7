import InklingKeys
import InklingTesting
import Testing

@testable import InklingLinux

@Suite struct `Addresses of brokers` {
    @Test(arguments: [
        ("mqtt://broker.example", "mqtt://broker.example:1883"),
        ("mqtts://broker.example", "mqtts://broker.example:8883"),
        ("mqtt://192.0.2.1:1884/", "mqtt://192.0.2.1:1884"), ("mqtts://[2001:db8::1]", "mqtts://[2001:db8::1]:8883"),
        ("mqtt://[fe80::1%eth0]:1", "mqtt://[fe80::1%eth0]:1"),
        ("mqtt://home_assistant-1", "mqtt://home_assistant-1:1883"),
    ])
    func `an address has a host, and perhaps a port`(text: String, whole: String) {
        #expect(MQTTAddress(text)?.description == whole)
        #expect(MQTTAddress(whole)?.description == whole)
    }

    @Test(arguments: [
        "", "broker.example", "http://broker.example", "mqtt:broker", "mqtt://", "mqtt://:1883", "mqtt://host:",
        "mqtt://host:0",
        "mqtt://host:65536", "mqtt://host:1883x", "mqtt://user@host", "mqtt://user:word@host", "mqtt://host/topic",
        "mqtt://a b",
        "mqtt://2001:db8::1", "mqtt://[2001:db8::1", "mqtt://[::1]x", "mqtt://höst", "MQTT://host", "mqtt://host\n",
        "mqtt://" + String(repeating: "a", count: 254),
    ])
    func `another text is no address`(text: String) {
        #expect(MQTTAddress(text) == nil)
    }
}

#if Node
    /// A message of quality 0, as a broker delivers it.
    private let publication: [UInt8] = [0x30, 4, 0, 1, 0x61, 0x78]

    @Suite(.hangDetector) struct `A client of a broker` {
        private func client(of broker: ScriptedBroker) throws -> MQTTClient {
            let address = try #require(MQTTAddress("mqtt://127.0.0.1:\(broker.port)"))
            var times = MQTTClient.Times()
            let limit = HangDetector.limit.components.seconds
            (times.acceptance, times.farewell, times.pauses) = (UInt64(limit) * 1_000, UInt64(limit) * 1_000, 1...1)
            times.keepAlive = CInt(limit)
            return try #require(MQTTClient(MQTTBroker(address), name: "test", will: message("offline"), times: times))
        }

        private func message(_ payload: String, _ topic: String = "inkling/a/availability") -> MQTTMessage {
            MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: true)
        }

        /// Covers INK-HAS-042, INK-HAS-043.
        @Test func `a broker that acknowledges nothing loses the connection when too much waits, and gets a new one`()
            async throws
        {
            let broker = try ScriptedBroker { connection, _ in
                connection.answer(0)
                connection.awaitEnd()
            }
            let client = try client(of: broker)
            var connections = 0
            for await event in client.events {
                switch event {
                case .connected(1):
                    connections += 1
                    for number in 0..<9_000 { client.publish(message("\(number)"), in: 1) }
                case .connected:
                    connections += 1
                    await client.stop()
                case .disconnected(let fault): #expect(fault == .tooSlow)
                case .received: Issue.record("nothing was sent")
                }
            }
            #expect(connections == 2)
        }

        @Test func `a program that the process starts does not keep the connection to a broker open`() async throws {
            let hasEnded = Watched(false)
            let broker = try ScriptedBroker { connection, _ in
                connection.answer(0)
                connection.awaitEnd()
                hasEnded.withLock { $0 = true }
            }
            let client = try client(of: broker)
            var connections = 0
            for await event in client.events {
                guard event == .connected(1) else { continue }
                connections += 1
                let program = try SleepingProgram()
                defer { program.kill() }
                try #require(try !program.ports().contains(broker.port))
                await client.stop()
                await hasEnded.wait(until: \.self)
            }
            #expect(connections == 1)
        }

        /// Covers INK-HAS-022.
        @Test func `what was meant for an earlier connection is not sent over a later one`() async throws {
            let packets = Watched<[String]>([])
            let broker = try ScriptedBroker { connection, number in
                connection.answer(0)
                guard number > 1 else {
                    // It ends when the client has taken it for a connection.
                    _ = connection.packet()
                    return
                }
                while let packet = connection.packet(), packet.kind == 3 {
                    packets.withLock { $0.append(String(decoding: packet.body.dropFirst(2 + 22 + 2), as: UTF8.self)) }
                    connection.send([0x40, 2] + Array(packet.body[24..<26]))
                }
            }
            let client = try client(of: broker)
            for await event in client.events {
                switch event {
                case .disconnected(let fault):
                    #expect(fault == .closed)
                    client.publish(message("late"), in: 1)
                case .connected(2):
                    client.publish(message("late"), in: 1)
                    client.publish(message("right"), in: 2)
                    await client.stop()
                case .connected(1): client.publish(message("first"), in: 1)
                default: Issue.record("\(event)")
                }
            }
            #expect(packets.withLock { $0 } == ["right"])
        }

        /// Covers INK-HAS-040.
        @Test func `a broker that accepts and says nothing holds nobody up`() async throws {
            let kinds = Watched<[UInt8?]>([])
            let broker = try ScriptedBroker { connection, _ in
                let first = connection.packet()?.kind
                kinds.withLock { $0.append(first) }
                connection.awaitEnd()
            }
            let client = try client(of: broker)
            await kinds.wait { !$0.isEmpty }
            for number in 0..<100 { client.publish(message("\(number)"), in: 1) }
            await client.stop()
            for await event in client.events { Issue.record("\(event)") }
            #expect(kinds.withLock { $0 } == [1])
        }

        @Test(arguments: [(UInt8(4), MQTTFault.wrongPassword), (5, .wrongPassword), (3, .refused(code: 3))])
        func `a refusal has its reason`(code: UInt8, fault: MQTTFault) async throws {
            let broker = try ScriptedBroker { connection, _ in connection.answer(code) }
            let client = try client(of: broker)
            var events = client.events.makeAsyncIterator()
            #expect(await events.next() == .disconnected(fault))
            await client.stop()
        }

        /// Covers INK-ANT-044.
        @Test func `what waits is bounded and not what comes in total, and what is dropped is counted`() async throws {
            let broker = try ScriptedBroker { connection, _ in
                connection.answer(0)
                for _ in 0..<105 { connection.send(Array(repeatElement(publication, count: 100).joined())) }
                // The client subscribes once it has processed everything that waited.
                while let packet = connection.packet(), packet.kind != 8 {}
                for _ in 0..<20 { connection.send(publication) }
                connection.awaitEnd()
            }
            let client = try client(of: broker)
            try await eventually { client.dropped == 500 }
            var received = 0
            for await event in client.events {
                guard case .received(let message) = event else { continue }
                #expect(message.payload == [0x78] && !message.isRetained)
                received += 1
                if received == 10_000 { client.subscribe("a", .atMostOnce, in: 1) }
                if received == 10_020 { await client.stop() }
            }
            #expect(received == 10_020)
            #expect(client.dropped == 500)
        }

        /// Covers INK-ANT-044.
        @Test func `a message of more than a mebibyte is dropped, and the next one arrives`() async throws {
            let broker = try ScriptedBroker { connection, _ in
                connection.answer(0)
                let count = 3 + (1 << 20)
                let length = [UInt8(count & 0x7f) | 0x80, UInt8(count >> 7 & 0x7f) | 0x80, UInt8(count >> 14)]
                connection.send([0x30] + length + [0, 1, 0x61] + [UInt8](repeating: 0x78, count: 1 << 20))
                connection.send(publication)
                connection.awaitEnd()
            }
            let client = try client(of: broker)
            var payloads: [[UInt8]] = []
            for await event in client.events {
                guard case .received(let message) = event else { continue }
                payloads.append(message.payload)
                #expect(client.dropped == 1)
                await client.stop()
            }
            #expect(payloads == [[0x78]])
        }

        @Test func `a kept message that the broker delivers arrives whole`() async throws {
            let topic = Array("homeassistant/status".utf8)
            let payload = [UInt8](repeating: 0x61, count: 70_000)
            let broker = try ScriptedBroker { connection, _ in
                connection.answer(0)
                let length = 2 + topic.count + payload.count
                let digits = [UInt8(length & 0x7f) | 0x80, UInt8(length >> 7 & 0x7f) | 0x80, UInt8(length >> 14)]
                connection.send([0x31] + digits + [0, UInt8(topic.count)] + topic + payload)
                // Bytes that are not a packet.
                connection.send([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
                connection.awaitEnd()
            }
            let client = try client(of: broker)
            var received: [MQTTMessage] = []
            for await event in client.events {
                if case .received(let message) = event { received.append(message) }
                if case .disconnected = event { await client.stop() }
            }
            // Perhaps over several connections, until the client was stopped.
            let message = MQTTMessage(topic: "homeassistant/status", payload: payload, isRetained: true)
            let isWhole = Set(received) == [message]
            #expect(isWhole, "\(received.map(\.payload.count))")
        }
    }
#endif

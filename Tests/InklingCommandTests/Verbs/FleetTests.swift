import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

@testable import InklingCommand

#if Node
    @Suite(.runsPrograms) struct `inkling fleet` {
        /// Covers INK-FLT-002.
        @Test(arguments: [
            "mqtt://192.0.2.1", "mqtt://broker.example", "mqtt://127.0.0.1.example", "mqtt://[2001:db8::1]:1883",
        ])
        func `a broker elsewhere without TLS is refused`(address: String) throws {
            let outcome = try Program.run("fleet", "presence", "--mqtt", address)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("has no TLS, which the sightings of a fleet require"), "\(outcome)")
        }

        @Test(arguments: [
            (["presence"], "a fleet needs an MQTT broker"),
            (["presence", "--fleet", "Office"], "--fleet must be 1 to 32 lower-case letters"),
            (["presence", "--leave-after", "29"], "--leave-after must be 30 to 86400, got 29"),
            (["presence", "--lease", "61"], "--lease must be 2 to 60, got 61"),
            (["match"], "--table is missing"), (["match", "--table", "t", "--skew", "451"], "--skew must be 0 to 450"),
            (["antenna", "--name", "a/b"], "--name must be 1 to 32 lower-case letters"),
            (["antenna", "--name", "a", "--sightings", "x"], "--sightings must be '-' for standard input, got 'x'"),
            (["antenna", "--name", "a", "--mqtt", "mqtt://127.0.0.1"], "there is no antenna"),
            (["presence", "--mqtt", "mqtt://user:word@host"], "--mqtt must be mqtt://HOST[:PORT]"),
        ])
        func `what is missing or wrong is said`(words: [String], text: String) throws {
            let outcome = try Program.run(["fleet"] + words)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains(text), "\(outcome)")
        }

        @Test func `without a broker each part says so once, and ends when it is told to`() throws {
            let part = try Program(["fleet", "presence", "--mqtt", "mqtt://127.0.0.1:9", "--json"])
            let fact = try part.fact { $0["event"]?.text == "disconnected" }
            #expect(fact["reason"]?.text == "connection refused")
            part.interrupt()
            #expect(try part.finish().status == 0)
        }
    }
#endif

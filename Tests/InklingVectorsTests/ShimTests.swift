import InklingVectors
import Testing

private func reply(_ line: String) -> String { Shim().reply(to: Array(line.utf8)) }

@Suite struct `The shim` {
    /// Covers INK-CNF-001.
    @Test func `replies to a request on one line, with its id`() {
        let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        #expect(
            reply(#"{"id":7,"op":"mdns-name","args":{"key":"\#(key)","epoch":"1960000"}}"#)
                == #"{"id":7,"result":{"name":"a8d5c00906a75e0177c44b4e94171642"}}"#)
    }

    /// Covers INK-CNF-001, INK-CNF-002, INK-CNF-003.
    @Test(arguments: [
        ("", #"{"id":null,"error":{"stage":"request","reason":"not-json"}}"#),
        ("[]", #"{"id":null,"error":{"stage":"request","reason":"not-an-object"}}"#),
        ("{}", #"{"id":null,"error":{"stage":"request","reason":"bad-id"}}"#),
        (#"{"id":-1,"op":"x"}"#, #"{"id":null,"error":{"stage":"request","reason":"bad-id"}}"#),
        (#"{"id":"a"}"#, #"{"id":"a","error":{"stage":"request","reason":"bad-op"}}"#),
        (#"{"id":1,"op":"epoch","args":[]}"#, #"{"id":1,"error":{"stage":"request","reason":"bad-args"}}"#),
        (#"{"id":1,"op":"epoch","extra":1}"#, #"{"id":1,"error":{"stage":"request","reason":"bad-args"}}"#),
        (#"{"id":1,"op":"predict-weather"}"#, #"{"id":1,"unsupported":true}"#),
        (#"{"id":1,"op":"epoch"}"#, #"{"id":1,"error":{"stage":"arguments","reason":"missing"}}"#),
        (
            #"{"id":1,"op":"epoch","args":{"unixSeconds":1,"more":1}}"#,
            #"{"id":1,"error":{"stage":"arguments","reason":"unknown-field"}}"#
        ),
        (
            #"{"id":1,"op":"epoch","args":{"unixSeconds":1.0}}"#,
            #"{"id":1,"error":{"stage":"arguments","reason":"wrong-type"}}"#
        ),
        (
            #"{"id":1,"op":"epoch","args":{"unixSeconds":9e2}}"#,
            #"{"id":1,"error":{"stage":"arguments","reason":"wrong-type"}}"#
        ),
        (
            #"{"id":1,"op":"epoch","args":{"unixSeconds":null}}"#,
            #"{"id":1,"error":{"stage":"arguments","reason":"wrong-type"}}"#
        ),
        (#"{"id":1,"op":"epoch","args":{"unixSeconds":-0}}"#, #"{"id":1,"result":{"epoch":0,"period":0}}"#),
        (
            #"{"id":1,"op":"epoch","args":{"unixSeconds":1,"unixSeconds":1}}"#,
            #"{"id":null,"error":{"stage":"request","reason":"not-json"}}"#
        ),
        (
            #"{"id":1,"op":"epoch","args":{"unixSeconds":"01"}}"#,
            #"{"id":1,"error":{"stage":"arguments","reason":"wrong-type"}}"#
        ),
        (
            #"{"id":1,"op":"epoch","args":{"unixSeconds":99999999999999999999}}"#,
            #"{"id":1,"error":{"stage":"arguments","reason":"out-of-range"}}"#
        ),
        (
            #"{"id":1,"op":"invitation-keys","args":{"secret":"0G"}}"#,
            #"{"id":1,"error":{"stage":"arguments","reason":"bad-hex"}}"#
        ),
        (
            #"{"id":1,"op":"invitation-keys","args":{"secret":"00"}}"#,
            #"{"id":1,"error":{"stage":"arguments","reason":"wrong-length"}}"#
        ),
    ])
    func `refuses a bad line with a stage and a reason, and continues`(line: String, expected: String) {
        #expect(reply(line) == expected)
    }

    /// Covers INK-CNF-004.
    @Test(arguments: [
        (#"[1,1,1,1,1,1]"#, "wrong-type"),
        (#"[{"audience":"","generation":1,"to":1,"more":1},5]"#, "unknown-field"),
        (#"[{"audience":""},5]"#, "missing"),
        (#"[{"audience":"","generation":"x","to":1},5]"#, "wrong-length"),
        (#"[{"audience":"0102030405060708","generation":1,"to":1},5]"#, "wrong-type"),
        (#"[{},{},{},{},{},{}]"#, "missing"),
        (
            "[" + (1...6).map { #"{"audience":"010203040506070\#($0)","generation":1,"to":1}"# }.joined(separator: ",")
                + "]", "wrong-length"
        ),
    ])
    func `checks each element of a list completely, in order, and then their number`(grants: String, reason: String) {
        let line = #"{"id":1,"op":"hello-encode","args":{"ownSerial":1,"peerSerial":0,"grants":\#(grants)}}"#
        #expect(reply(line) == #"{"id":1,"error":{"stage":"arguments","reason":"\#(reason)"}}"#)
    }

    /// Covers INK-CNF-002.
    @Test func `refuses a line above the length limit`() {
        let line = [UInt8](repeating: 0x20, count: 1_048_577)
        #expect(Shim().reply(to: line) == #"{"id":null,"error":{"stage":"request","reason":"too-long"}}"#)
    }

    /// Covers INK-CNF-009.
    @Test func `lists every operation among its capabilities`() {
        #expect(reply(#"{"id":1,"op":"capabilities"}"#).contains(#""grant-decode""#))
    }
}

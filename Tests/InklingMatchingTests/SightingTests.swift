import InklingEngine
import InklingKeys
import InklingMatching
import Testing

@Suite struct `Parsing of sightings` {
    private func read(_ line: String) throws(SightingError) -> Sighting? {
        var reader = SightingReader()
        return try reader.read(Array(line.utf8))
    }

    @Test(
        arguments: [
            ("1785600240", 1_785_600_240_000), ("1785600240.5", 1_785_600_240_500), ("0", 0), ("1.2345", 1234),
            ("\"2026-08-01T16:04:00Z\"", 1_785_600_240_000), ("\"2026-08-01T18:04:00.25+02:00\"", 1_785_600_240_250),
            ("\"2026-08-01 16:04:00.1239Z\"", 1_785_600_240_123), ("\"1970-01-01T00:00:00Z\"", 0),
            ("\"2000-02-29T00:00:00Z\"", 951_782_400_000), ("\"2089-08-14T15:59:59.999Z\"", 3_774_873_599_999),
            ("\"2016-12-31T23:59:60Z\"", 1_483_228_800_000), ("\"2025-12-31T23:30:00-01:00\"", 1_767_227_400_000),
        ] as [(String, UInt64)])
    func `parses times as Unix seconds or as RFC 3339`(time: String, milliseconds: UInt64) throws {
        let sighting = try #require(try read(#"{"time":\#(time),"minor":1}"#))
        #expect(sighting.observed == ObservedTime(unixMilliseconds: milliseconds))
    }

    @Test(arguments: [
        "-1", "1e9", "3774873600", "18446744073709551616", "true", "null", "\"\"", "\"1785600240\"",
        "\"2026-08-01\"", "\"2026-13-01T00:00:00Z\"", "\"2026-02-29T00:00:00Z\"", "\"2026-08-01T24:00:00Z\"",
        "\"2026-08-01T16:04:61Z\"", "\"2026-08-01T16:04:00\"", "\"2026-08-01T16:04:00.Z\"",
        "\"2026-08-01T16:04:00Zulu\"", "\"1969-12-31T23:59:59Z\"", "\"2089-08-14T16:00:00Z\"",
        "\"٢026-08-01T00:00:00Z\"",
    ])
    func `rejects an invalid time`(time: String) {
        #expect(throws: SightingError.badTime) { try read(#"{"time":\#(time),"minor":1}"#) }
    }

    @Test func `ignores unknown members in every form that JSON allows`() throws {
        let plain = try #require(try read(#"{"time":7,"minor":9}"#))
        for line in [
            #" { "minor" : 9 , "time" : 7 } "#, #"{"time":7,"minor":9,"x":[1,{"y":"\u00e9"}],"z":null,"w":-0.5e3}"#,
            #"{"t\u0069me":7,"minor":9}"#, #"{"time":7,"minor":9,"ssid":"Café"}"#,
            #"{"time":7,"minor":9,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1}"#,
            "{\"time\":7,\"minor\":9}\r",
        ] { #expect(try read(line) == plain, "\(line)") }
    }

    /// Covers INK-MAT-013.
    @Test func `accepts names of other services, which match nothing`() throws {
        let name = "ee86ffa399825968e402a6832c863656"
        #expect(try #require(try read(#"{"time":7,"name":"\#(name)"}"#)).name?.description == name)
        for other in ["Living Room", "", name.uppercased(), name + "0", "\\u0065e86ffa399825968e402a6832c86365g"] {
            let sighting = try #require(try read(#"{"time":7,"name":"\#(other)"}"#))
            #expect(sighting.name == nil)
        }
    }

    @Test(
        arguments: [
            ("", nil), ("   \t\r", nil), ("{", .notJSON), ("{\"time\":7,\"minor\":9", .notJSON),
            (#"{"time":7,"time":7,"minor":9}"#, .notJSON), ("{\"time\":007,\"minor\":9}", .notJSON),
            ("[7,9]", .notAnObject), ("\"time\"", .notAnObject), (" 7 ", .notAnObject), ("null", .notAnObject),
            ("[7,", .notJSON), ("\"time", .notJSON), ("7 8", .notJSON), ("[{\"a\":1,\"a\":2}]", .notJSON),
            ("{}", .noTime), (#"{"minor":9}"#, .noTime), (#"{"time":7}"#, .noValue),
            (#"{"time":7,"name":9}"#, .badName),
            (#"{"time":7,"name":null,"minor":9}"#, .badName), (#"{"time":7,"minor":"9"}"#, .badMinor),
            (#"{"time":7,"minor":65536}"#, .badMinor), (#"{"time":7,"minor":-1}"#, .badMinor),
            (#"{"time":7,"minor":9.0}"#, .badMinor), (#"{"time":7,"minor":9,"uncertainty":3600.001}"#, .badUncertainty),
            (#"{"time":7,"minor":9,"uncertainty":-1}"#, .badUncertainty),
            (#"{"time":7,"minor":9,"address":7}"#, .badAddress),
            (#"{"time":7,"minor":9,"rssi":21}"#, .badRSSI), (#"{"time":7,"minor":9,"rssi":-128}"#, .badRSSI),
            (#"{"time":7,"minor":9,"rssi":"-60"}"#, .badRSSI),
        ] as [(String, SightingError?)])
    func `reports the fault of a line, and skips a blank line`(line: String, error: SightingError?) throws {
        guard let error else {
            #expect(try read(line) == nil)
            return
        }
        #expect(throws: error) { try read(line) }
        // The complete JSON parser reports the same fault.
        #expect(throws: error) { try read(line.replacingFirst("{", by: "{\"\\u0020\":[],")) }
    }

    @Test func `accepts values at the limits and rejects values beyond them`() throws {
        let longest =
            #"{"time":7,"minor":9,"address":"\#(String(repeating: "a", count: 64))","rssi":-127,"uncertainty":3600}"#
        #expect(try #require(try read(longest)).observed.uncertainty == .seconds(3600))
        #expect(throws: SightingError.badAddress) {
            try read(#"{"time":7,"minor":9,"address":"\#(String(repeating: "a", count: 65))"}"#)
        }
        let padding = String(repeating: " ", count: Sighting.lineLimit - 20)
        #expect(try read("{\"time\":7,\"minor\":9}" + padding) != nil)
        #expect(throws: SightingError.tooLong) { try read("{\"time\":7,\"minor\":9} " + padding) }
    }
}

extension String {
    /// Replaces the first occurrence; a line without one stays the same and is rejected in the same way.
    fileprivate func replacingFirst(_ part: Character, by text: String) -> String {
        guard let place = firstIndex(of: part), self != "{}", self != "{" else { return self }
        return String(self[..<place]) + text + String(self[index(after: place)...])
    }
}

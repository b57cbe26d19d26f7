import InklingEngine
import InklingKeys
import InklingMatching
import InklingTesting
import Testing

@Suite struct `Parsing of sightings` {
    private func read(_ line: String) throws(SightingError) -> Sighting? {
        var reader = SightingReader()
        return try reader.read(Array(line.utf8))
    }

    /// Returns whether the fast parser reads the line, and the result of both parsers.
    private func bothRead(_ line: [UInt8]) throws -> (isOrdinary: Bool, sighting: Sighting?, error: SightingError?) {
        var reader = SightingReader()
        func outcome(_ read: () throws(SightingError) -> Sighting?) -> (Sighting?, SightingError?) {
            do throws(SightingError) { return (try read(), nil) } catch { return (nil, error) }
        }
        let quick = outcome { () throws(SightingError) in try reader.read(line) }
        let complete = outcome { () throws(SightingError) in try SightingReader.readCompletely(line) }
        #expect(quick.0 == complete.0 && quick.1 == complete.1, "\(String(decoding: line, as: UTF8.self))")
        return (reader.isOrdinary(line), quick.0, quick.1)
    }

    @Test func `the fast parser reads ordinary lines`() throws {
        let name = "ee86ffa399825968e402a6832c863656"
        for line in [
            #"{"time":1785600240,"name":"\#(name)","address":"aa:bb","rssi":-61}"#,
            #" {"minor" : 65535 , "time": "2026-08-01T16:04:00.25+02:00", "uncertainty":3600.0 } "# + "\r",
            #"{"host":"a","channel":-1.5e+3,"vendor":null,"up":true,"down":false,"time":0.9999,"minor":0,"name":"Küche’s"}"#,
            "", " \t\r",
        ] { #expect(try bothRead(Array(line.utf8)).isOrdinary, "\(line)") }
    }

    @Test func `leaves every other line to the complete parser`() throws {
        for line in [
            #"{"time":7,"minor":9,"x":[]}"#, #"{"t\u0069me":7,"minor":9}"#, #"{"time":7,"minor":9,"time":7}"#,
            #"{"time":7,"minor":9,"x":1,"x":2}"#, #"{"time":7,"minor":-0}"#, #"{"time":7,"minor":09}"#, #"{"time":7}"#,
            #"{"time":7,"minor":9,"é":1}"#, #"{"time":7,"minor":9}{"#, "{\"time\":7,\n\"minor\":9}",
            "{\"time\":7,\"minor\":9}\n",
            #"{"time":7,"minor":9,"x":01}"#, #"{"time":7,"minor":9,"x":1.}"#, #"{"time":7,"minor":9,"x":nul}"#,
            #"{"time":7,"minor":9,"x":"\#(String(repeating: "a", count: 2048))"}"#, String(repeating: " ", count: 2049),
        ] { #expect(try !bothRead(Array(line.utf8)).isOrdinary, "\(line)") }
        // Bytes that are not UTF-8.
        for digits in ["ff", "c0af", "e09fbf", "eda080", "f08fbfbf", "f4908080", "f5808080", "e282", "c3", "80"] {
            let line = Array(#"{"time":7,"minor":9,"x":""#.utf8) + bytes(digits) + Array("\"}".utf8)
            #expect(try !bothRead(line).isOrdinary, "\(digits)")
        }
    }

    @Test func `both parsers read lines alike in which bytes were changed, removed or repeated`() throws {
        let lines = [
            #"{"time":1785600240.25,"name":"ee86ffa399825968e402a6832c863656","address":"aa:bb","rssi":-61,"uncertainty":3.5}"#,
            #"{"time":"2024-02-29T23:59:60.5-01:30","minor":63941,"x":"é","y":-1.5e3,"z":null}"#,
        ].map { Array($0.utf8) }
        let others = Array("\"\\{}[],:.-+eE019azZT \t\r\u{0}\u{1f}\u{7f}é’".utf8)
        var (ordinary, rejected) = (0, 0)
        for line in lines {
            for place in line.indices {
                for other in others {
                    var (changed, longer) = (line, line)
                    changed[place] = other
                    longer.insert(other, at: place)
                    for line in [changed, longer] {
                        let outcome = try bothRead(line)
                        ordinary += outcome.isOrdinary ? 1 : 0
                        rejected += outcome.error == nil ? 0 : 1
                    }
                }
                var shorter = line
                shorter.remove(at: place)
                _ = try bothRead(shorter)
                _ = try bothRead(Array(line[..<place]))
            }
        }
        #expect(ordinary > 500 && rejected > 5000, "\(ordinary) ordinary, \(rejected) rejected")
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

import InklingEngine
import InklingKeys
import InklingMatching
import InklingTesting
import Testing

@Suite struct `Matching a log block by block` {
    private static let start: UInt64 = 1_984_000 * 900

    /// Two contacts in four epochs, with the minors 100 and 200.
    private static let entries = (0..<4 as Range<UInt32>).compactMap { Epoch(1_984_000 + $0) }.flatMap { epoch in
        (0..<2 as Range<UInt32>).map { contact in
            Forecast.Entry(
                prediction: Prediction(
                    contact: ContactID(rawValue: contact), device: .first, audience: .granted(0), epoch: epoch),
                name: OpaqueServiceName(Octets16(high: UInt64(contact), low: UInt64(epoch.number))),
                minor: BeaconMinor(UInt16(100 * (contact + 1))))
        }
    }

    private struct Result: Equatable {
        var output = ""
        var faults: [String] = []
        var tally = MatchTally()
    }

    /// Matches a log: each call of `read` finds as many bytes as `pieces` returns, and nothing more is there yet if
    /// `waits` returns true.
    private func match(
        _ log: [UInt8], keepsGoing: Bool = true, times: Range<UInt64> = 0..<UInt64.max,
        pieces: () -> Int = { 1 << 18 }, waits: () -> Bool = { false }
    ) throws -> Result {
        let rules = LineMatcher.Rules(times: times, keepsGoing: keepsGoing) { ["Ada", "B\"o"] }
        var lines = LineMatcher(Matcher(skew: .standard, entries: Self.entries), rules: rules)
        var (input, block, result, place) = (LogInput(), LogBlock(), Result(), 0)
        while let before = unsafe input.next(
            into: &block,
            reading: { room in
                let count = min(room.count, pieces(), log.count - place)
                for index in 0..<count { unsafe room[index] = log[place + index] }
                place += count
                return count
            }, isReady: { !waits() })
        {
            #expect(before == result.tally.lines)
            let matched = try lines.match(block, after: before)
            result.tally += matched.tally
            result.faults += matched.faults.map { "\($0.line): \($0.error.reason)" }
            result.output += String(decoding: matched.output, as: UTF8.self)
            if matched.isStopped { break }
        }
        return result
    }

    private func match(_ log: String, keepsGoing: Bool = true) throws -> Result {
        try match(Array(log.utf8), keepsGoing: keepsGoing)
    }

    private static func owner(_ label: String) -> String {
        #""of":[{"contact":\#(label),"device":0,"epoch":1984000}]}"# + "\n"
    }

    @Test func `writes the values of a sighting as they were written`() throws {
        let time = Self.start + 450
        let name = String(repeating: "0", count: 16) + "00000000001e4600"
        let result = try match(
            """
            {"rssi":-61,"minor":100,"name":"\(name)","time":\(time).50,"address":"aa","other":[]}
            { "time" : \(time) , "minor" : 200 , "address" : "é\u{7f}" }
            {"time":\(time),"minor":200,"address":"\\u0041"}\r
            """)
        #expect(
            result.output == #"{"line":1,"time":\#(time).50,"name":"\#(name)","address":"aa","rssi":-61,"#
                + Self.owner(#""Ada""#) + #"{"line":1,"time":\#(time).50,"minor":100,"address":"aa","rssi":-61,"#
                + Self.owner(#""Ada""#) + #"{"line":2,"time":\#(time),"minor":200,"address":"é\u007f","#
                + Self.owner(#""B\"o""#) + #"{"line":3,"time":\#(time),"minor":200,"address":"A","#
                + Self.owner(#""B\"o""#))
    }

    /// Covers INK-MAT-015.
    @Test func `stops at a line that is rejected, after the matches before it`() throws {
        let line = #"{"time":\#(Self.start + 450),"minor":100}"# + "\n"
        let stopped = try match(line + "\n" + line + "?\n" + line, keepsGoing: false)
        #expect(stopped.output.split(separator: "\n").count == 2)
        #expect(stopped.faults == ["4: not-json"])
        #expect(stopped.tally.lines == 4)
        let passed = try match(line + String(repeating: "?\n", count: 3000) + line)
        #expect(passed.output.split(separator: "\n").map { $0.prefix(12) } == [#"{"line":1,"t"#, #"{"line":3002"#])
        // The first of each block are kept.
        #expect(passed.faults == (2...11).map { "\($0): not-json" })
        #expect(passed.tally.wrong == 3000)
    }

    /// Covers INK-MAT-014, INK-MAT-015.
    @Test(arguments: [1, 2, 3, 4, 5, 6]) func `divides a log into lines, however it is read`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var log: [UInt8] = []
        var expected = Result()
        let count = 400
        for number in 1...count {
            let end = number == count && seed % 2 == 0 ? "" : "\n"
            let time = Self.start + 450
            let minor = [7, 100, 200][Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0: log += Array([" ", "", "\t\r"][number % 3].utf8)
            case 1:
                let length = [2047, 2048, 2049, 5000, 262_143, 262_144, 262_145, 700_000][number % 8]
                let line = Array(#"{"time":\#(time),"minor":7}"#.utf8)
                log += line + [UInt8](repeating: 0x20, count: length - line.count)
                if length > 2048 { expected.faults.append("\(number): too-long") }
            case 2:
                log += Array("?".utf8)
                expected.faults.append("\(number): not-json")
            case let form:
                let extra = form < 6 ? #","x":{}"# : form < 9 ? #","x":"é""# : ""
                log += Array(#"{"time":\#(time),"minor":\#(minor)\#(extra)}\#(form % 2 == 0 ? "\r" : "")"#.utf8)
                if minor > 7 {
                    expected.output += #"{"line":\#(number),"time":\#(time),"minor":\#(minor),"#
                    expected.output += Self.owner(minor == 100 ? #""Ada""# : #""B\"o""#)
                }
            }
            log += Array(end.utf8)
        }
        var pieces = SeededGenerator(seed: seed)
        let result = try match(
            log, pieces: { [1, 7, 4096, 65_536, 1 << 18].randomElement(using: &pieces) ?? 1 },
            waits: { Bool.random(using: &random) })
        #expect(result.output == expected.output)
        #expect(result.faults == expected.faults || result.faults.count >= 10)
        // An empty last line does not count.
        #expect(abs(result.tally.lines - count) <= (seed % 2 == 0 ? 1 : 0))
        #expect(result.tally.wrong == expected.faults.count)
        #expect(try match(log) == result || result.faults.count >= 10)
    }

    @Test func `keeps up to the time limits, and counts what is outside`() throws {
        let log = (0..<10 as Range<UInt64>).map { #"{"time":\#(Self.start + 450 + $0),"minor":100}"# + "\n" }.joined()
        let result = try match(
            Array(log.utf8), times: (Self.start + 452) * 1000..<(Self.start + 455) * 1000)
        #expect(result.output.split(separator: "\n").map { $0.prefix(9) } == [3, 4, 5].map { "{\"line\":\($0)" })
        #expect(result.tally.passedOver == 7)
        #expect(result.tally.sightings == 3)
        #expect(result.tally.byMinor == 3)
    }

    @Test func `an empty log has no blocks`() throws {
        #expect(try match([]) == Result())
    }
}

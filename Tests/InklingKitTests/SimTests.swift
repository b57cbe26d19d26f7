import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.runsPrograms) struct `inkling-kit sim` {
    private let small = ["sim", "--contacts", "12", "--strangers", "60", "--minutes", "60", "--replayers", "1"]

    @Test func `the same seed gives the same output, and another seed gives another output`() throws {
        let first = try Kit.run(small + ["--stream", "--seed", "5"])
        #expect(first.status == 0)
        #expect(first.output == (try Kit.run(small + ["--stream", "--seed", "5"])).output)
        #expect(first.output != (try Kit.run(small + ["--stream", "--seed", "6"])).output)
    }

    @Test func `confirms no absent contact, keeps to the budget and misses few visits`() throws {
        for seed in 1...4 {
            let report = try #require(try Kit.run(small + ["--json", "--seed", "\(seed)"]).facts().first)
            #expect(report["falseConfirmations"]?.integer == 0)
            #expect(report["triesInWorstMinute"]?.integer ?? 99 <= 6)
            let visits = try #require(report["visits"]?.integer)
            #expect(visits > 4)
            #expect((report["missed"]?.integer ?? 99) * 4 <= visits, "seed \(seed)")
        }
    }

    @Test func `recognises contacts with wrong clocks less often, and rejects invalid options`() throws {
        let crowd = ["sim", "--contacts", "8", "--strangers", "10", "--minutes", "60", "--json", "--phones", "0"]
        func confirmed(_ error: String) throws -> Int? {
            try Kit.run(crowd + ["--clock-error", error]).facts().first?["confirmed"]?.integer.flatMap {
                Int(exactly: $0)
            }
        }
        #expect(try confirmed("0") ?? 0 > 4)
        #expect(try confirmed("0") ?? 0 > confirmed("3600") ?? 99)
        #expect(try Kit.run(crowd + ["--loss", "101"]).status == 64)
    }

    @Test func `writes the members of its JSON in a fixed order`() throws {
        let report = try Kit.run("sim", "--contacts", "0", "--strangers", "1", "--minutes", "1", "--json")
        #expect(
            report.output.hasPrefix(
                #"{"contacts":0,"strangers":1,"minutes":1,"seed":1,"replayers":0,"spoofers":0,"sightings":"#))
        #expect(
            try report.facts().first?.names == [
                "contacts", "strangers", "minutes", "seed", "replayers", "spoofers", "sightings", "visits", "confirmed",
                "missed", "delayMedian", "delay95", "falseConfirmations", "falsePresence", "falseHints",
                "strangersMinors", "falseFriends", "falseFriendsExpected", "contested", "replaysInTime",
                "replaysTooLate", "replaysNoticed", "tries", "wastedTries", "triesInWorstMinute",
            ])
        #expect(
            report.output.contains(#""delayMedian":null,"delay95":null,"falseConfirmations":0,"falsePresence":0.0,"#))
        let stream = try Kit.run(small + ["--stream"]).facts()
        let names = Set(stream.map { $0.names.joined(separator: " ") })
        #expect(
            names.isSubset(of: [
                "time name address", "time event name address", "time minor address rssi",
                "time reported name address", "time reported event name address", "time reported minor address rssi",
                "event time contact presence", "event time contact genuine", "event report",
            ]), "\(names)")
        #expect(stream.last?.names == ["event", "report"])
    }

    @Test func `counts one contact, stranger and minute as one`() throws {
        let spoken = try Kit.run("sim", "--contacts", "1", "--strangers", "1", "--minutes", "1")
        #expect(spoken.output.hasPrefix("1 contact and 1 stranger in 1 minute, seed 1: "))
    }

    @Test func `finds as many false friends as chance predicts`() throws {
        let crowd = ["sim", "--contacts", "200", "--strangers", "20", "--spoofers", "3", "--minutes", "15", "--json"]
        let report = try #require(try Kit.run(crowd).facts().first)
        let found = Double(report["falseFriends"]?.integer ?? 0)
        let expected = try #require(report["falseFriendsExpected"].flatMap { Double("\($0.compact)") })
        #expect(expected > 10)
        // Five standard deviations.
        #expect(abs(found - expected) < 5 * expected.squareRoot())
    }

    @Test(arguments: [SIGINT, SIGKILL])
    func `an interrupted drawing leaves no file in the way of the next one`(signal: Int32) throws {
        let folder = try Folder()
        let drawing = "\(folder.path)/afternoon.svg"
        let long = try Program(["sim", "--minutes", "10080", "--stream", "--plot", drawing], program: Kit.path)
        _ = try long.line()
        long.interrupt(signal)
        #expect(try long.finish().status == -signal)
        #expect(try Program([folder.path], program: "/bin/ls").finish().output.isEmpty)
        #expect(try Kit.run(small + ["--plot", drawing]).status == 0)
        let svg = String(decoding: try bytesOfFile(drawing), as: UTF8.self)
        #expect(svg.hasSuffix("</svg>\n"))
        // The drawing has a background, because a viewer may use any colour.
        #expect(svg.contains("<rect width=\"100%\" height=\"100%\" class=\"paper\"/>"))
        #expect(svg.contains(".paper { fill: #fff }"))
        // An existing file is not replaced.
        let again = try Kit.run(small + ["--plot", drawing])
        #expect(again.status == 78)
        #expect(again.errors.contains("cannot create \(drawing): File exists"))
    }

    @Test func `match recognises contacts in the stream`() throws {
        let folder = try Folder()
        let table = folder.path + "/table"
        let stream = try Kit.run(small + ["--stream", "--predictions", table])
        let log = stream.lines.filter { !$0.contains("\"event\"") }.joined(separator: "\n")
        let matched = try Kit.run(["match", "--table", table], input: .text(log))
        #expect(matched.status == 0)
        #expect(matched.lines.count > 100)
    }
}

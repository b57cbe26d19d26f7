import InklingConformance
import InklingJSON
import InklingTesting
import InklingVectors
import Testing

@Suite struct `A conformance run` {
    private let minors = "beacon-minor-000*"

    private func suite() throws -> ConformanceSuite {
        try TestedShim.suite("beacon-minor.json", keeping: [minors])
    }

    private func line(_ text: String) -> ConformanceRun.Event { .line(Array(text.utf8)) }

    /// Creates a shim that behaves differently for the case with this id.
    private func other(
        at id: String, _ events: @escaping (_ right: ConformanceRun.Event) -> [ConformanceRun.Event]
    ) -> TestedShim.Program {
        { bytes in
            let right = TestedShim.right(bytes)
            guard let request = try? JSON(parsing: bytes).object, request["id"]?.text == id else { return right }
            return events(right[0])
        }
    }

    @Test func `passes the shim of this package in every case, including lines that are not requests`() throws {
        let folder = try VectorFolder()
        let suite = try ConformanceSuite(
            try folder.entries.map { (name: $0.name, document: try VectorDocument(parsing: $0.bytes)) })
        let (report, trace) = TestedShim.run(suite, by: TestedShim.right)
        #expect(report.failures.isEmpty)
        expectEqual(report.verdict, .conforms)
        expectEqual(report.entries.count, suite.cases.count + 1)
        expectEqual(report.counts.passed, report.entries.count)
        expectEqual(trace, "start finish")
    }

    /// Covers INK-CNF-032, INK-CNF-033.
    @Test func `reports how a program failed and continues with the next case`() throws {
        let cases: [(String, [ConformanceRun.Event], String)] = [
            ("not-json", [line("Traceback (most recent call last):")], "start finish"),
            ("no-reply", [line("[]")], "start finish"),
            ("no-reply", [line(#"{"id":"beacon-minor-0003","result":{"minor":1},"more":1}"#)], "start finish"),
            ("wrong-id", [line(#"{"id":"somebody","result":{"minor":1}}"#)], "start finish"),
            ("difference", [line(#"{"id":"beacon-minor-0003","result":{"minor":1}}"#)], "start finish"),
            ("unsupported-though-listed", [line(#"{"id":"beacon-minor-0003","unsupported":true}"#)], "start finish"),
            ("ended", [.ended(status: 3)], "start start finish"),
            ("ended", [.ended(status: -11)], "start start finish"),
            ("timeout", [.overdue], "start stop start finish"),
            ("too-long", [.overlongLine], "start stop start finish"),
        ]
        for (name, events, trace) in cases {
            let outcome = TestedShim.run(try suite(), by: other(at: "beacon-minor-0003") { _ in events })
            expectEqual(outcome.report.failures, ["beacon-minor-0003 \(name)"])
            expectEqual(outcome.trace, trace)
            expectEqual(outcome.report.counts.passed, 9)
        }
    }

    /// Covers INK-CNF-033.
    @Test func `fails the case with two replies, and not the next one`() throws {
        for id in ["beacon-minor-0003", "beacon-minor-0009"] {
            let outcome = TestedShim.run(try suite(), by: other(at: id) { [$0, $0] })
            expectEqual(outcome.report.failures, ["\(id) second-answer"])
            expectEqual(outcome.trace, "start finish")
        }
    }

    @Test func `ignores a correct reply that follows a wrong line`() throws {
        let outcome = TestedShim.run(try suite(), by: other(at: "beacon-minor-0003") { [line("debug: 1"), $0] })
        expectEqual(outcome.report.failures, ["beacon-minor-0003 not-json"])
    }

    @Test func `stops a program that does not stop sending lines`() throws {
        let outcome = TestedShim.run(
            try suite(), by: other(at: "beacon-minor-0003") { [$0] + [ConformanceRun.Event](repeating: $0, count: 200) }
        )
        expectEqual(outcome.report.failures, ["beacon-minor-0003 second-answer", "beacon-minor-0004 chatter"])
        expectEqual(outcome.trace, "start stop start finish")
    }

    @Test func `restarts a program no more often than allowed`() throws {
        let dying: TestedShim.Program = TestedShim.changing { request in
            request["op"]?.text == "capabilities" ? nil : [.ended(status: 1)]
        }
        let outcome = TestedShim.run(try suite(), restarts: 2, by: dying)
        expectEqual(outcome.trace, "start start start finish")
        expectEqual(outcome.report.counts.failed, 3)
        expectEqual(outcome.report.counts.notRun, 6)
        expectEqual(outcome.report.verdict, .differs)
    }

    @Test func `runs no case if the program does not send its capabilities`() throws {
        for (events, name) in [
            ([ConformanceRun.Event.overdue], "timeout"), ([.ended(status: 127)], "ended"),
            ([.overlongLine], "too-long"),
            ([line("hello")], "not-json"), ([ConformanceRun.Event](repeating: line("y"), count: 200), "chatter"),
            ([line(#"{"id":"capabilities","unsupported":true}"#)], "difference"),
            ([line(#"{"id":"capabilities","result":{"operations":[1]}}"#)], "difference"),
        ] {
            let outcome = TestedShim.run(try suite(), by: { _ in events })
            expectEqual(outcome.report.failures, ["capabilities \(name)"])
            expectEqual(outcome.report.counts.notRun, 9)
        }
    }

    @Test func `continues after a greeting, which is a failure nevertheless`() throws {
        let outcome = TestedShim.run(try suite(), by: other(at: "capabilities") { [line("Welcome!"), $0] })
        expectEqual(outcome.report.failures, ["capabilities not-json"])
        expectEqual(outcome.report.counts.passed, 9)
    }

    @Test func `says of a program that it sends back its input`() throws {
        let outcome = TestedShim.run(try suite(), by: { [.line($0.filter { $0 != 0x0a })] })
        #expect(outcome.report.tree(shown: 3).contains("it sends back its input"))
    }

    @Test func `reports another version of the specification as a difference`() throws {
        let outcome = TestedShim.run(
            try suite(),
            by: other(at: "capabilities") { _ in
                [line(#"{"id":"capabilities","result":{"specVersion":"inkling/9","operations":["beacon-minor"]}}"#)]
            })
        expectEqual(outcome.report.failures, ["capabilities difference"])
        expectEqual(outcome.report.entries.first?.difference?.place, "result.specVersion")
    }

    @Test func `does not request an operation that is not listed`() throws {
        let outcome = TestedShim.run(
            try suite(),
            by: other(at: "capabilities") { _ in
                [line(#"{"id":"capabilities","result":{"specVersion":"inkling/1-draft","operations":[]}}"#)]
            })
        expectEqual(outcome.report.verdict, .partial)
        #expect(!outcome.report.isComplete)
        expectEqual(outcome.report.counts.unsupported, 9)
    }

    /// Covers INK-CNF-034.
    @Test func `tolerates a known failure, and fails if the list of known failures is stale`() throws {
        let wrong = other(at: "beacon-minor-0003") { _ in
            [line(#"{"id":"beacon-minor-0003","result":{"minor":1}}"#)]
        }
        let known = KnownFailures("# a comment\nbeacon-minor-0003 # why\n\n")
        let tolerated = TestedShim.run(try suite(), known: known, by: wrong).report
        expectEqual(tolerated.verdict, .partial)
        #expect(!tolerated.isComplete)
        expectEqual(tolerated.counts.known, 1)
        expectEqual(tolerated.counts.failed, 0)
        let stale = TestedShim.run(try suite(), known: known, by: TestedShim.right).report
        expectEqual(stale.verdict, .differs)
        expectEqual(stale.stale, ["beacon-minor-0003"])
    }

    @Test func `is partial but complete when a filter excludes cases`() throws {
        let part = try TestedShim.suite("beacon-minor.json", keeping: ["beacon-minor-0003"])
        let report = TestedShim.run(part, by: TestedShim.right).report
        expectEqual(report.verdict, .partial)
        #expect(report.isComplete)
        #expect(report.filteredCount == (try TestedShim.suite("beacon-minor.json", keeping: ["*"]).cases.count) - 1)
        expectEqual(report.summary, "2 passed, 0 failed, \(report.filteredCount) filtered out")
    }

    /// Covers INK-CNF-010.
    @Test func `reports the first intermediate value that differs, and judges none`() throws {
        func reply(_ minor: Int, _ intermediates: String) throws -> ConformanceReport {
            let text = #"{"id":"beacon-minor-0001","result":{"minor":\#(minor)},"intermediates":{\#(intermediates)}}"#
            return TestedShim.run(try suite(), by: other(at: "beacon-minor-0001") { _ in [line(text)] }).report
        }
        #expect(try reply(63941, #""mac":"00""#).failures.isEmpty)
        let wrong = #""mac":"00","message":"69426561636f6e2d6d696e6f722d31393834303030""#
        let report = try reply(1, wrong)
        expectEqual(report.failures, ["beacon-minor-0001 difference"])
        let difference = report.entries.compactMap(\.difference).first
        expectEqual(difference?.place, "result.minor")
        expectEqual(difference?.onTheWay?.name, "mac")
        #expect(difference?.onTheWay?.got == #""00""#)
        try expectEqual(reply(1, "").entries.compactMap(\.difference).first?.onTheWay, nil)
    }

    /// Covers INK-CNF-006.
    @Test func `compares the digest of all outputs, and shows the first output that differs`() throws {
        let suite = try TestedShim.suite("accumulated.json", keeping: ["accumulated"])
        expectEqual(suite.cases.count, 7)
        expectEqual(suite.digestCount, 14)
        expectEqual(TestedShim.run(suite, by: TestedShim.right).report.counts.passed, 8)
        let wrong = other(at: "accumulated-0013/77") { _ in
            [line(#"{"id":"accumulated-0013/77","result":{"minor":1}}"#)]
        }
        let one = try TestedShim.suite("accumulated.json", keeping: ["accumulated-0013"])
        let report = TestedShim.run(one, by: wrong).report
        expectEqual(report.failures, ["accumulated-0013 difference"])
        let failed = report.entries.first { $0.difference != nil }
        expectEqual(failed?.result.question.comment, "output 77 of 1000")
        expectEqual(failed?.difference?.place, "result.minor")
        for (text, name) in [
            (#"{"id":"accumulated-0013/77","result":{"minor":70000}}"#, "difference"), ("[]", "no-reply"),
            (#"{"id":"accumulated-0013/76","result":{"minor":1}}"#, "wrong-id"),
            (#"{"id":"accumulated-0013/77","unsupported":true}"#, "unsupported-though-listed"),
        ] {
            let outcome = TestedShim.run(one, by: other(at: "accumulated-0013/77") { _ in [line(text)] }).report
            expectEqual(outcome.failures, ["accumulated-0013 \(name)"])
        }
    }

    /// Covers INK-CNF-007.
    @Test func `compares numbers by value and texts by code points`() throws {
        let value = TestedShim.changing { request in
            guard request["id"]?.text == "beacon-minor-0001" else { return nil }
            return [line(#"{"result":{"minor":6.39410e4},"id":"beacon-minor-0001"}"#)]
        }
        #expect(TestedShim.run(try suite(), by: value).report.failures.isEmpty)
        let text = TestedShim.changing { request in
            guard request["id"]?.text == "beacon-minor-0001" else { return nil }
            return [line(#"{"id":"beacon-minor-0001","result":{"minor":"63941"}}"#)]
        }
        #expect(TestedShim.run(try suite(), by: text).report.failures == ["beacon-minor-0001 difference"])
    }
}

@Suite struct `A pattern of cases` {
    @Test(arguments: [
        ("beacon-minor", 66), ("beacon-minor-0001", 1), ("beacon-minor-000*", 9), ("*-minor-*1", 7),
        ("identifiers.md", 66),
        ("INK-ID-003", 44), ("INK-GRA-*", 0), ("minor", 0), ("*", 90), ("**", 90), ("", 0),
    ])
    func `matches families, operations, pages, requirements and ids`(pattern: String, count: Int) throws {
        let suite = try TestedShim.suite("beacon-minor.json", keeping: [pattern])
        expectEqual(suite.cases.count, count)
    }
}

import InklingConformance
import InklingJSON
import InklingTesting
import InklingVectors
import Testing

@Suite struct `Conformance profiles` {
    /// One family of each profile, a small one.
    private let files = ["uuid.json", "mdns-query.json", "tls-psk.json"]

    private func suite(_ profiles: ConformanceProfile...) throws -> ConformanceSuite {
        let documents = try files.map { (name: $0, document: try VectorDocument(parsing: try VectorFolder.bytes($0))) }
        var suite = try ConformanceSuite(documents)
        suite.keep(profiles)
        return suite
    }

    /// Creates a shim that returns a wrong result for one operation.
    private func wrong(at operation: String) -> TestedShim.Program {
        TestedShim.changing { request in
            guard request["op"]?.text == operation, let id = request["id"] else { return nil }
            let reply: JSONObject = ["id": id, "result": .object(["wrong": .flag(true)])]
            return [.line(Array(JSON.object(reply).compact.utf8))]
        }
    }

    private func verdicts(_ report: ConformanceReport) -> [String] {
        report.profiles.map { "\($0.profile.rawValue) \($0.verdict.rawValue)" }
    }

    @Test func `cover every operation of a family`() throws {
        let operations = try VectorFolder().entries.filter { !$0.isExternal }.compactMap(\.writtenOperation)
        #expect(operations.count > 20)
        for operation in operations { #expect(ConformanceProfile(operation: operation) != nil, "\(operation)") }
        #expect(ConformanceProfile(operation: "recognition") == .node)
        #expect(ConformanceProfile(operation: "transport-plan") == .platforms)
        #expect(ConformanceProfile(operation: "x25519") == nil)
    }

    @Test func `choose the cases of a profile and of those that it includes`() throws {
        func families(_ profiles: ConformanceProfile...) throws -> Set<String> {
            var suite = try suite()
            suite.keep(profiles)
            return Set(suite.cases.map(\.family))
        }
        #expect(try families(.core) == ["request", "uuid"])
        #expect(try families(.node) == ["request", "uuid", "mdns-query"])
        #expect(try families(.platforms) == ["tls-psk"])
        #expect(try families(.core, .platforms) == ["request", "uuid", "tls-psk"])
        #expect(try families() == ["request", "uuid", "mdns-query", "tls-psk"])
        #expect(try suite(.platforms).profiles == [.platforms])
        #expect(try suite(.node).profiles == [.core, .node])
    }

    @Test func `each have a verdict`() throws {
        let all = TestedShim.run(try suite(), by: TestedShim.right).report
        #expect(verdicts(all) == ["core conforms", "node conforms", "platforms conforms"])
        let core = TestedShim.run(try suite(), by: wrong(at: "uuid")).report
        #expect(verdicts(core) == ["core differs", "node differs", "platforms conforms"])
        let node = TestedShim.run(try suite(), by: wrong(at: "mdns-query")).report
        #expect(verdicts(node) == ["core conforms", "node differs", "platforms conforms"])
    }

    @Test func `are the only ones judged when only they are run`() throws {
        let report = TestedShim.run(try suite(.core), by: wrong(at: "tls-psk")).report
        #expect(report.verdict == .conforms)
        #expect(verdicts(report) == ["core conforms"])
    }

    @Test func `are partial when an operation is missing or a filter excludes a case`() throws {
        let poor = TestedShim.changing { request in
            guard request["id"]?.text == "capabilities" else { return nil }
            let result: JSONObject = [
                "specVersion": .text("inkling/\(Shim.specVersion)"), "operations": .list(["uuid", "tls-psk"]),
            ]
            let reply: JSONObject = ["id": "capabilities", "result": .object(result)]
            return [.line(Array(JSON.object(reply).compact.utf8))]
        }
        let lacking = TestedShim.run(try suite(), by: poor).report
        #expect(verdicts(lacking) == ["core conforms", "node partial", "platforms conforms"])
        var filtered = try suite()
        filtered.keep([CasePattern("uuid-0001"), CasePattern("tls-psk")])
        let report = TestedShim.run(filtered, by: TestedShim.right).report
        #expect(verdicts(report) == ["core partial", "platforms conforms"])
    }

    @Test func `appear in every kind of report`() throws {
        let report = TestedShim.run(try suite(), by: wrong(at: "mdns-query")).report
        let tree = report.tree(shown: 1)
        #expect(tree.contains("\n✓ core       conforms, "))
        #expect(tree.contains("\n✗ node       does not conform, "))
        #expect(tree.contains(", by vectors; inkling-kit conform live makes its live checks\n"))
        #expect(report.junit.contains(#"<property name="profile.node" value="does not conform"/>"#))
        #expect(report.markdown(shown: 1).contains("| node | does not conform | "))
        #expect(report.html(shown: 1).contains("<b>✗ node</b> does not conform"))
        let ends = ReportLines.end(report)["profiles"]
        #expect(ends == .object(["core": "conforms", "node": "differs", "platforms": "conforms"]))
        let profiles = report.entries.map { ReportLines.line($0)["profile"]?.text }
        #expect(Set(profiles) == ["core", "node", "platforms"])
    }

    @Test func `appear side by side in a matrix, together with live reports and older ones`() throws {
        func text(_ report: ConformanceReport) -> [UInt8] {
            var lines = [ReportLines.start(implementation: "a", caseCount: report.entries.count)]
            lines += report.entries.map(ReportLines.line)
            lines.append(ReportLines.end(report))
            return Array(lines.map { JSON.object($0).compact + "\n" }.joined().utf8)
        }
        let program = TestedShim.run(try suite(), by: TestedShim.right).report
        let live = ConformanceReport(implementation: "a", live: LiveFixtures.discovery().verdicts)
        let older = [
            #"{"event":"start","format":"inkling-conform/1","implementation":"b","cases":0}"#,
            #"{"event":"end","verdict":"conforms","specVersion":null}"#,
        ].joined(separator: "\n")
        let matrix = try ConformanceMatrix(parsing: [text(program), text(live), Array(older.utf8)])
        #expect(matrix.markdown.contains("\n| profile | core | conforms |  |  |\n"))
        #expect(matrix.markdown.contains("\n| profile | node | conforms | partial |  |\n"))
        #expect(matrix.html.contains("<th scope=\"row\">node</th><td class=\"passed\">conforms</td>"))
    }
}

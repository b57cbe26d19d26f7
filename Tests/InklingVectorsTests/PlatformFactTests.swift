import FoundationEssentials
import InklingEngine
import InklingJSON
import InklingPlatforms
import InklingTesting
import InklingVectors
import Testing

@Suite struct `Facts about platforms` {
    /// A row of a table in a source, as a question and its answer.
    private struct Row {
        let comment: String
        let question: [UInt8]
        let answer: String
    }

    /// The rows that bear a name; neither the grid of all subjects and states nor what was made at random.
    private let rows: [Row]

    init() throws {
        var rows: [Row] = []
        for entry in try VectorFolder().entries
        where ["platform-profile.json", "transport-plan.json"].contains(entry.name) {
            let file = try VectorFile(parsing: entry.bytes)
            for one in file.cases where one.flags.isEmpty && !one.comment.contains(" of a device of ") {
                guard case .result(let result) = one.expectation else { continue }
                let question: JSONObject = [
                    "id": .integer(1), "op": .text(file.operation), "args": .object(one.arguments),
                ]
                let answer: JSONObject = ["id": .integer(1), "result": .object(result)]
                rows.append(
                    Row(
                        comment: one.comment, question: Array(JSON.object(question).compact.utf8),
                        answer: JSON.object(answer).compact))
            }
        }
        self.rows = rows
    }

    @Test func `without any one fact a named row of the sources is answered otherwise`() throws {
        let facts = PlatformProfiles.known.facts
        try #require(rows.count > 250)
        for fact in facts {
            let poorer = Shim(knowing: PlatformProfiles(facts.filter { $0 != fact }))
            let red = rows.first { $0.answer.contains("\"\(fact.id)\"") && poorer.reply(to: $0.question) != $0.answer }
            #expect(red != nil, "\(fact.id) carries no row")
        }
    }

    @Test func `with all facts every named row is answered as its source says`() {
        let shim = Shim()
        for row in rows { #expect(shim.reply(to: row.question) == row.answer, "\(row.comment)") }
    }

    @Test func `the policy knows no row by its name`() throws {
        let policy =
            #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/") + "/Sources/InklingPlatforms/TransportPolicy"
        let files = try FileManager.default.contentsOfDirectory(atPath: policy)
        try #require(files.count > 5)
        let names = Set(rows.compactMap { $0.comment.split(separator: ":").first }.map(String.init)).filter {
            $0.count > 12
        }
        try #require(names.count > 30)
        for file in files {
            let text = String(decoding: try Data(contentsOf: URL(filePath: "\(policy)/\(file)")), as: UTF8.self)
            #expect(!names.contains { text.contains($0) }, "\(file)")
        }
    }
}

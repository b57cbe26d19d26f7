import FoundationEssentials
import InklingEngine
import InklingJSON
import InklingPlatforms
import InklingTesting
import InklingVectors
import Testing

@Suite struct `Facts about platforms` {
    /// A row of a table in a source, as a request and its reply.
    private struct Row {
        let comment: String
        let request: [UInt8]
        let reply: String
    }

    /// The rows with a name, without the grid of all subjects and states and without random cases.
    private let rows: [Row]

    /// Read once for all tests.
    private static let rowsOfFiles = Result { try readRows() }

    init() throws { rows = try Self.rowsOfFiles.get() }

    private static func readRows() throws -> [Row] {
        var rows: [Row] = []
        for entry in try VectorFolder().entries
        where ["platform-profile.json", "transport-plan.json"].contains(entry.name) {
            let file = try VectorFile(parsing: entry.bytes)
            for one in file.cases where one.flags.isEmpty && !one.comment.contains(" of a device of ") {
                guard case .result(let result) = one.expectation else { continue }
                let request: JSONObject = [
                    "id": .integer(1), "op": .text(file.operation), "args": .object(one.arguments),
                ]
                let reply: JSONObject = ["id": .integer(1), "result": .object(result)]
                rows.append(
                    Row(
                        comment: one.comment, request: Array(JSON.object(request).compact.utf8),
                        reply: JSON.object(reply).compact))
            }
        }
        return rows
    }

    @Test func `each change the result for some named row when removed`() throws {
        let facts = PlatformProfiles.known.facts
        try #require(rows.count > 250)
        for fact in facts {
            let reduced = Shim(knowing: PlatformProfiles(facts.filter { $0 != fact }))
            let changed = rows.first {
                $0.reply.contains("\"\(fact.id)\"") && reduced.reply(to: $0.request) != $0.reply
            }
            #expect(changed != nil, "no row depends on \(fact.id)")
        }
    }

    @Test func `together give the result in the source for every named row`() {
        let shim = Shim()
        for row in rows { #expect(shim.reply(to: row.request) == row.reply, "\(row.comment)") }
    }

    @Test func `are used by a transport policy that names none of their rows`() throws {
        let policy =
            #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/") + "/Sources/Policy/InklingPlatforms/TransportPolicy"
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

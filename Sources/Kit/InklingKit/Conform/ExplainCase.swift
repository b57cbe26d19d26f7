import ArgumentParser
import InklingConformance
import InklingJSON
import InklingTerminal
import InklingVectors

/// `inkling-kit conform explain`
struct ExplainCase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show a case in full: the request, every intermediate value, and the reply.",
        discussion: """
            Prints the values in the vector file and the lines to send and to receive, without running a program.

            Examples:
              $ inkling-kit conform explain mdns-name-0005
              $ inkling-kit conform explain 'grant-decode-00*' | less
            """)

    @Argument(help: "The id of a case; * stands for any characters.") var id: String
    @Option(help: "Read the vector files in this folder.") var vectors = "Vectors"
    @Flag(help: "Print one JSON object per line, one for each case.") var json = false

    func run() async throws {
        try await reporting {
            let files = try await vectorFiles(in: vectors)
            var suite: ConformanceSuite
            do throws(VectorFileError) {
                suite = try ConformanceSuite(files.map { (name: $0.name, document: $0.file) }, outputLimit: .max)
            } catch {
                throw Failure(.badData, "\(vectors): \(error)")
            }
            let pattern = CasePattern(id)
            let cases = suite.cases.filter { pattern.matchesID(of: $0) }
            guard !cases.isEmpty else {
                throw Failure(
                    .badData, "no case has the id '\(printable(id))'",
                    remedy: "List the cases with: inkling-kit conform --list")
            }
            for (place, one) in cases.enumerated() {
                let facts: JSONObject = [
                    "id": .text(one.id), "profile": .text(one.profile.rawValue),
                    "specification": .text(one.specification), "comment": .text(one.comment),
                    "requirements": .list(one.requirements.map(JSON.text)),
                    "request": .text(String(decoding: one.line, as: UTF8.self)),
                    "intermediates": one.intermediates.map(JSON.object) ?? .null, "reply": .object(one.expected),
                ]
                write(facts, asJSON: json) { _ in (place > 0 ? "\n" : "") + one.description }
            }
        }
    }
}

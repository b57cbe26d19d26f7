import ArgumentParser
import InklingJSON
import InklingTerminal
import InklingVectors

/// `inkling-kit vectors list`
struct ListVectors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the vector files in a folder.",
        discussion: """
            Example:
              $ inkling-kit vectors list Vectors
            """)

    @Argument(help: "A folder of vector files.") var directory = "Vectors"
    @Flag(help: "Print one JSON object per line.") var json = false

    func run() async throws {
        try await reporting {
            let files = try await vectorFiles(in: directory)
            let nameWidth = files.map(\.name.count).max() ?? 0
            let countWidth = files.map { String($0.file.caseCount).count }.max() ?? 0
            for (name, file) in files {
                let facts: JSONObject = [
                    "file": .text(name), "operation": .text(file.operation), "cases": .integer(file.caseCount),
                    "specification": .text(file.specification), "description": .text(file.description),
                ]
                write(facts, asJSON: json) { _ in
                    let count = String(file.caseCount)
                    let space = String(repeating: " ", count: countWidth - count.count)
                    let cases = "\(space)\(count) \(file.caseCount == 1 ? "case " : "cases")"
                    return "\(padded(name, to: nameWidth + 2))\(cases)   \(file.specification)\n"
                }
            }
        }
    }
}

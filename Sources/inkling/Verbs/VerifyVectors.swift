import ArgumentParser
import FoundationEssentials
import InklingConformance
import InklingJSON

/// `inkling vectors list`
struct ListVectors: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the vector files in a folder.",
        discussion: """
            Example:
              $ inkling vectors list Vectors
            """)

    @Argument(help: "A folder of vector files.") var directory = "Vectors"
    @Flag(help: "Print one JSON object a line.") var json = false

    func run() throws {
        try reporting {
            for (name, file) in try vectorFiles(in: directory) {
                if json {
                    let facts: JSONObject = [
                        "file": .text(name), "operation": .text(file.operation), "cases": .integer(file.caseCount),
                        "specification": .text(file.specification), "description": .text(file.description),
                    ]
                    write(JSON.object(facts).compact + "\n")
                } else {
                    let count = String(file.caseCount)
                    let pad = String(repeating: " ", count: max(1, 40 - name.count) + max(0, 5 - count.count))
                    write("\(name)\(pad)\(count) cases   \(file.specification)\n")
                }
            }
        }
    }
}

/// `inkling vectors verify`
struct VerifyVectors: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Answer every case in a folder of vector files and compare.",
        discussion: """
            Ends with 0 when everything agrees, 1 when a case differs, 65 when a file is not a vector file.

            Example:
              $ inkling vectors verify Vectors
            """)

    @Argument(help: "A folder of vector files.") var directory = "Vectors"
    @Flag(help: "Also compute the digests that stand for more than 100,000 outputs: half a minute.") var all = false
    @Flag(help: "Print one JSON object a file, and one for each difference.") var json = false

    func run() throws {
        try reporting {
            var agreed = 0
            var differing = 0
            var omitted = 0
            var fileCount = 0
            for (name, file) in try vectorFiles(in: directory) {
                let outcome = VectorVerification(of: file, outputLimit: all ? .max : 100_000)
                fileCount += 1
                agreed += outcome.agreed
                differing += outcome.differences.count
                omitted += outcome.omitted
                report(name, file, outcome)
            }
            if !json {
                let rest = omitted == 0 ? "" : "; \(omitted) long digests left out (--all computes them)"
                write("\(agreed) cases in \(fileCount) files agree, \(differing) differ\(rest)\n")
            }
            if differing > 0 { throw Failure(.finding, "\(differing) cases differ") }
        }
    }

    private func report(_ name: String, _ file: VectorDocument, _ outcome: VectorVerification) {
        if json {
            let facts: JSONObject = [
                "file": .text(name), "operation": .text(file.operation), "agreed": .integer(outcome.agreed),
                "differing": .integer(outcome.differences.count), "omitted": .integer(outcome.omitted),
            ]
            write(JSON.object(facts).compact + "\n")
        } else {
            let mark = outcome.differences.isEmpty ? "✓" : "✗"
            write("\(mark) \(name): \(outcome.agreed) of \(file.caseCount)\n")
        }
        for difference in outcome.differences {
            if json {
                let facts: JSONObject = [
                    "file": .text(name), "id": .text(difference.id), "expected": .text(difference.expected),
                    "got": .text(difference.got),
                ]
                write(JSON.object(facts).compact + "\n")
            } else {
                write(
                    """
                      \(difference.id): \(difference.comment)
                        expected \(difference.expected)
                        got      \(difference.got)

                    """)
            }
        }
    }
}

/// The vector files of a folder and its subfolders, by name; the schemas and the generator are no vector files.
private func vectorFiles(in directory: String) throws(Failure) -> [(name: String, file: VectorDocument)] {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: directory) else {
        throw Failure(
            .badData, "there is no folder \(directory)", remedy: "Name the folder that holds the vector files.")
    }
    let names = paths.filter { $0.hasSuffix(".json") && !$0.hasPrefix("schema/") && !$0.hasPrefix("generator/") }
    guard !names.isEmpty else { throw Failure(.badData, "\(directory) holds no vector files") }
    var files: [(name: String, file: VectorDocument)] = []
    for name in names.sorted() {
        let bytes = try readFile("\(directory)/\(name)")
        do { files.append((name, try VectorDocument(parsing: bytes))) } catch {
            throw Failure(.badData, "\(directory)/\(name): \(error)")
        }
    }
    return files
}

import ArgumentParser
import InklingConformance
import InklingTerminal

/// `inkling-kit conform merge`
struct MergeReports: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Show the reports of several implementations side by side.",
        discussion: """
            Each report is the output of `inkling-kit conform --json` or `inkling-kit conform live --json`.

            Example:
              $ inkling-kit conform merge ours.jsonl theirs.jsonl --html matrix.html
            """)

    @Argument(help: "The files of the reports.") var reports: [String]
    @Option(help: ArgumentHelp("Also write the matrix as one HTML page.", valueName: "file")) var html: String?

    func run() throws {
        try reporting {
            var contents: [[UInt8]] = []
            for path in reports { contents.append(try readFile(path)) }
            // Parse each alone first, so that a failure names its file.
            for (path, content) in zip(reports, contents) {
                do throws(ReportError) { _ = try ConformanceMatrix(parsing: [content]) } catch {
                    throw Failure(
                        .badData, "\(path): \(error)",
                        remedy: "Write a report with: inkling-kit conform --json -- ./shim")
                }
            }
            let matrix: ConformanceMatrix
            do throws(ReportError) { matrix = try ConformanceMatrix(parsing: contents) } catch {
                throw Failure(.badData, "\(error)")
            }
            write(matrix.markdown)
            if let html { try writeFile(html, matrix.html) }
        }
    }
}

import FoundationEssentials
import InklingJSON
import InklingTerminal
import InklingVectors

/// Reads the vector files in a folder and its subfolders, sorted by name; skips the schemas and the generator.
///
/// - Throws: `Failure` when there is no vector file, or one is invalid.
func vectorFiles(in directory: String) async throws(Failure) -> [(name: String, file: VectorDocument)] {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: directory) else {
        throw Failure(
            .badData, "cannot read the folder \(directory)", remedy: "Name the folder of the vector files.")
    }
    let names = paths.filter { $0.hasSuffix(".json") && !$0.hasPrefix("schema/") && !$0.hasPrefix("generator/") }
    guard !names.isEmpty else {
        throw Failure(
            .badData, "\(directory) contains no vector files", remedy: "Name the folder of the vector files.")
    }
    var files: [(name: String, file: VectorDocument)] = []
    var failure: Failure?
    let sorted = names.sorted()
    await onAllProcessors(sorted, { vectorFile("\(directory)/\($0)") }) { number, file in
        switch file {
        case .success(let file): files.append((sorted[number], file))
        case .failure(let fault): failure = failure ?? fault
        }
    }
    if let failure { throw failure }
    return files
}

private func vectorFile(_ path: String) -> Result<VectorDocument, Failure> {
    Result { () throws(Failure) in
        let bytes = try readFile(path)
        do throws(VectorFileError) { return try VectorDocument(parsing: bytes) } catch {
            let line = error.line(in: bytes).map { ":\($0)" } ?? ""
            throw Failure(
                .badData, "\(path)\(line): \(error)",
                remedy: "Restore the file, or move it out of the folder.")
        }
    }
}

extension VectorFileError {
    /// Returns the number, from 1, of the line with the fault; nil when no line shows it.
    fileprivate func line(in bytes: [UInt8]) -> Int? {
        if case .notJSON(let error) = self { return error.line }
        let quoted: [String] =
            switch self {
            case .notJSON: []
            case .wrongCount: ["caseCount"]
            case .repeatedID(let id): [id, id]
            case .unknownMember(let name, let place), .unexplainedFlag(let name, let place): [place, name]
            case .missing(_, let place), .wrongType(let place): [place]
            }
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        let isRepeated = quoted.count == 2 && quoted[0] == quoted[1]
        var found: Int?
        for one in quoted {
            let wanted = Array("\"\(one)\"".utf8)
            let start = found.map { isRepeated ? $0 + 1 : $0 } ?? 0
            // A place such as "the file" or "case 3" does not occur in the file.
            found = lines.indices.dropFirst(start).first { lines[$0].contains(wanted) } ?? found
        }
        return found.map { $0 + 1 }
    }
}

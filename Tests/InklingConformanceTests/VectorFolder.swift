import FoundationEssentials
import InklingConformance

/// The folder `Vectors` of this checkout.
struct VectorFolder {
    struct Entry {
        let name: String
        let bytes: [UInt8]
        let document: VectorDocument
    }

    /// Every vector file, by name; the schemas and the generator are none.
    let entries: [Entry]
    /// The names of the schemas, without folder and ending.
    let schemas: [String]

    // This file is Tests/InklingConformanceTests/VectorFolder.swift.
    private static let root =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/Vectors"

    /// The content of a file in the folder.
    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(root)/\(name)")))
    }

    init() throws {
        let root = Self.root
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".json") }
        schemas = paths.compactMap { path in
            path.hasPrefix("schema/") ? String(path.dropFirst("schema/".count).dropLast(".schema.json".count)) : nil
        }.sorted()
        entries = try paths.filter { !$0.hasPrefix("schema/") && !$0.hasPrefix("generator/") }.sorted().map { name in
            let bytes = try Self.bytes(name)
            return Entry(name: name, bytes: bytes, document: try VectorDocument(parsing: bytes))
        }
    }
}

extension VectorFolder.Entry {
    /// Whether the file was converted from vectors that others published.
    var isExternal: Bool { name.hasPrefix("external/") }

    /// The cases as the bytes of the file show them, counted without the reader: one line begins each.
    var writtenCaseCount: Int {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").count { line in
            line.drop { $0 == " " }.hasPrefix(#"{"id": "#)
        }
    }
}

internal import FoundationEssentials

/// The folder `Vectors` of this checkout.
public struct VectorFolder {
    /// A vector file.
    public struct Entry {
        /// The path of the file in the folder.
        public let name: String
        public let bytes: [UInt8]

        /// Whether the file was converted from vectors of another publisher.
        public var isExternal: Bool { name.hasPrefix("external/") }

        /// The operation of all cases, read without parsing the file; nil if the file names none or each case names one.
        public var writtenOperation: String? {
            let lines = String(decoding: bytes.prefix(4096), as: UTF8.self).split(separator: "\n")
            let line = lines.first { $0.hasPrefix(#"  "operation": ""#) }
            return line.flatMap { $0.split(separator: "\"").dropFirst(3).first.map(String.init) }
        }

        /// The number of cases, counted without parsing the file, as the lines with which a case begins.
        public var writtenCaseCount: Int {
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").count { line in
                line.drop { $0 == " " }.hasPrefix(#"{"id": "#)
            }
        }
    }

    /// The vector files, ordered by name, without the schemas and the files of the generator.
    public let entries: [Entry]
    /// The names of the schemas, without folder and extension.
    public let schemas: [String]

    // This file is Tests/InklingTesting/VectorFolder.swift.
    private static let root =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/Vectors"

    /// Returns the content of a file in the folder.
    public static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(root)/\(name)")))
    }

    public init() throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.root).filter { $0.hasSuffix(".json") }
        schemas = paths.filter { $0.hasPrefix("schema/") && $0.hasSuffix(".schema.json") }.map { path in
            String(path.dropFirst("schema/".count).dropLast(".schema.json".count))
        }.sorted()
        entries = try paths.filter { !$0.hasPrefix("schema/") && !$0.hasPrefix("generator/") }.sorted().map { name in
            Entry(name: name, bytes: try Self.bytes(name))
        }
    }
}

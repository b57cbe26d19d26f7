public import InklingJSON

/// A file of test vectors for one operation (`Specs/conformance.md`).
public struct VectorFile: Sendable {
    /// A request and the only correct reply to it.
    public struct Case: Sendable {
        /// The correct result, or the correct refusal.
        public enum Expectation: Hashable, Sendable {
            case result(JSONObject)
            case refusal(stage: String, reason: String)
        }

        /// The id, unique in its file and stable over time.
        public let id: String
        /// A description of the case.
        public let comment: String
        /// Flags, each explained in the notes of the file.
        public let flags: [String]
        /// The numbers of the requirements that the case covers.
        public let requirements: [String]
        /// The arguments of the operation.
        public let arguments: JSONObject
        /// The expected result or refusal.
        public let expectation: Expectation
        /// Intermediate values, for debugging; `nil` for a refusal.
        public let intermediates: JSONObject?
    }

    /// The operation that the cases request.
    public let operation: String
    /// The page that specifies the operation.
    public let specification: String
    /// A description of the file in one sentence.
    public let description: String
    /// The number of vectors in the source file of a conversion; `nil` for a file of this project.
    public let sourceVectorCount: Int?
    /// The arguments that do not affect the result.
    public let insensitive: [String]
    /// The cases, in the order of the file.
    public let cases: [Case]

    /// Parses a file.
    ///
    /// - Throws: `VectorFileError` for a malformed file, an unknown member, a wrong count or a repeated id.
    public init(parsing bytes: [UInt8]) throws(VectorFileError) {
        try self.init(VectorDocument.members(parsing: bytes))
    }

    init(_ file: JSONObject) throws(VectorFileError) {
        let known = [
            "schema", "specification", "operation", "description", "caseCount", "notes", "insensitive", "source",
            "sourceVectorCount", "cases",
        ]
        for name in file.names where !known.contains(name) { throw .unknownMember(name, in: "the file") }
        operation = try Self.text("operation", of: file, in: "the file")
        specification = try Self.text("specification", of: file, in: "the file")
        description = try Self.text("description", of: file, in: "the file")
        sourceVectorCount = try Self.sourceVectorCount(of: file)
        switch file["insensitive"] {
        case nil: insensitive = []
        case .object(let reasons): insensitive = reasons.names
        default: throw .wrongType("insensitive")
        }
        guard let notes = file["notes"]?.object else { throw .missing("notes", in: "the file") }
        cases = try VectorDocument.cases(of: file, id: \.id) { members, place throws(VectorFileError) in
            try Self.parse(members, place: place, notes: notes)
        }
    }

    private static func sourceVectorCount(of file: JSONObject) throws(VectorFileError) -> Int? {
        guard let count = file["sourceVectorCount"] else { return nil }
        guard let count = count.integer, file["source"]?.object != nil else { throw .wrongType("sourceVectorCount") }
        return Int(count)
    }

    private static func parse(
        _ members: JSONObject, place: String, notes: JSONObject
    ) throws(VectorFileError) -> Case {
        let id = try text("id", of: members, in: place)
        let known = ["id", "comment", "flags", "requirements", "args", "result", "intermediates", "error"]
        for name in members.names where !known.contains(name) { throw .unknownMember(name, in: id) }
        guard let arguments = members["args"]?.object else { throw .missing("args", in: id) }
        let flags = try texts("flags", of: members, in: id)
        for flag in flags where notes[flag] == nil { throw .unexplainedFlag(flag, in: id) }
        return Case(
            id: id, comment: try text("comment", of: members, in: id), flags: flags,
            requirements: try texts("requirements", of: members, in: id), arguments: arguments,
            expectation: try expectation(of: members, in: id), intermediates: members["intermediates"]?.object)
    }

    private static func expectation(
        of members: JSONObject, in id: String
    ) throws(VectorFileError) -> Case.Expectation {
        switch (members["result"], members["error"], members["intermediates"]) {
        case (.object(let result), nil, _): return .result(result)
        case (nil, .object(let error), nil):
            guard error.members.count == 2 else { throw .wrongType("error of \(id)") }
            return .refusal(stage: try text("stage", of: error, in: id), reason: try text("reason", of: error, in: id))
        default: throw .missing("result or error", in: id)
        }
    }

    static func text(
        _ name: String, of members: JSONObject, in place: String
    ) throws(VectorFileError) -> String {
        guard let text = members[name]?.text else { throw .missing(name, in: place) }
        return text
    }

    private static func texts(
        _ name: String, of members: JSONObject, in place: String
    ) throws(VectorFileError) -> [String] {
        guard let list = members[name]?.list else { throw .missing(name, in: place) }
        let texts = list.compactMap(\.text)
        guard texts.count == list.count else { throw .wrongType("\(name) of \(place)") }
        return texts
    }
}

/// A reason why a file is not a valid vector file.
public enum VectorFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case notJSON(JSONError)
    case wrongType(String)
    case missing(String, in: String)
    case unknownMember(String, in: String)
    case unexplainedFlag(String, in: String)
    case wrongCount(declared: Int, found: Int)
    case repeatedID(String)

    public var description: String {
        switch self {
        case .notJSON(let error): "not JSON: \(error)"
        case .wrongType(let place): "\(place) has the wrong type"
        case .missing(let name, let place): "\(place) has no usable member '\(name)'"
        case .unknownMember(let name, let place): "\(place) has an unknown member '\(name)'"
        case .unexplainedFlag(let flag, let place):
            "\(place) has the flag '\(flag)', which the notes do not explain"
        case .wrongCount(let declared, let found): "caseCount is \(declared), but the number of cases is \(found)"
        case .repeatedID(let id): "the id '\(id)' is used twice"
        }
    }
}

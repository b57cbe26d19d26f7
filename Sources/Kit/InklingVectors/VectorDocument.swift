internal import InklingJSON

/// A file of test vectors: single cases, or digests of many outputs.
public enum VectorDocument: Sendable {
    case cases(VectorFile)
    case digests(AccumulatedFile)

    /// Parses a file of either kind, according to its member `schema`.
    ///
    /// - Throws: `VectorFileError` for any other file.
    public init(parsing bytes: [UInt8]) throws(VectorFileError) {
        let file = try Self.members(parsing: bytes)
        switch try VectorFile.text("schema", of: file, in: "the file") {
        case AccumulatedFile.schema: self = .digests(try AccumulatedFile(file))
        default: self = .cases(try VectorFile(file))
        }
    }

    /// The operation of the file, or "accumulated".
    public var operation: String {
        switch self {
        case .cases(let file): file.operation
        case .digests: "accumulated"
        }
    }

    /// The page that specifies the operation.
    public var specification: String {
        switch self {
        case .cases(let file): file.specification
        case .digests(let file): file.specification
        }
    }

    /// A description of the file in one sentence.
    public var description: String {
        switch self {
        case .cases(let file): file.description
        case .digests(let file): file.description
        }
    }

    /// The number of cases.
    public var caseCount: Int {
        switch self {
        case .cases(let file): file.cases.count
        case .digests(let file): file.cases.count
        }
    }

    static func members(parsing bytes: [UInt8]) throws(VectorFileError) -> JSONObject {
        let document: JSON
        do { document = try JSON(parsing: bytes) } catch { throw .notJSON(error) }
        guard let file = document.object else { throw .wrongType("the file") }
        return file
    }

    /// Parses the cases of a file, and checks that their number is as declared and their ids are unique.
    static func cases<Case>(
        of file: JSONObject, id: (Case) -> String,
        parsing parse: (JSONObject, _ place: String) throws(VectorFileError) -> Case
    ) throws(VectorFileError) -> [Case] {
        guard let list = file["cases"]?.list else { throw .missing("cases", in: "the file") }
        guard let count = file["caseCount"]?.integer else { throw .missing("caseCount", in: "the file") }
        guard count == list.count else { throw .wrongCount(declared: Int(count), found: list.count) }
        var seen: Set<String> = []
        var cases: [Case] = []
        for (place, value) in list.enumerated() {
            guard let members = value.object else { throw .wrongType("case \(place + 1)") }
            let one = try parse(members, "case \(place + 1)")
            guard seen.insert(id(one)).inserted else { throw .repeatedID(id(one)) }
            cases.append(one)
        }
        return cases
    }
}

public import InklingJSON
internal import InklingVectors

/// A request to the implementation under test, and the only correct reply to it.
public struct ConformanceCase: Sendable {
    /// The id, unique among all cases.
    public let id: String
    /// The name of the vector file without its extension, or `request` for lines that are not requests.
    public let family: String
    /// The operation; `nil` if the line is not a request.
    public let operation: String?
    /// The profile that the case belongs to.
    public let profile: ConformanceProfile
    /// The page that specifies the operation.
    public let specification: String
    /// A description of the case.
    public let comment: String
    /// The numbers of the requirements that the case covers.
    public let requirements: [String]
    /// The arguments of the operation; `nil` if the line is not a request, and for a digest.
    public let arguments: JSONObject?
    /// The line to send, without a line feed.
    public let line: [UInt8]
    /// The whole correct reply.
    public let expected: JSONObject
    /// The intermediate values of the vector; `nil` if it has none.
    public let intermediates: JSONObject?
    /// The requests of a digest over many outputs; `nil` for a case with a single request.
    let accumulated: AccumulatedRequests?

    /// Creates a case of a vector file.
    init(_ vector: VectorFile.Case, family: String, file: VectorFile) {
        id = vector.id
        self.family = family
        operation = file.operation
        profile = ConformanceProfile(operation: file.operation) ?? .core
        specification = file.specification
        comment = vector.comment
        requirements = vector.requirements
        arguments = vector.arguments
        line = Self.request(id: vector.id, file.operation, vector.arguments)
        expected = Self.reply(id: .text(vector.id), vector.expectation)
        intermediates = vector.intermediates
        accumulated = nil
    }

    /// Creates a case of a digest over the outputs of an operation.
    init(
        _ digest: AccumulatedFile.Case, _ questions: AccumulatedRequests, family: String, file: AccumulatedFile,
        requirements: [String]
    ) {
        id = digest.id
        self.family = family
        operation = digest.operation
        profile = ConformanceProfile(operation: digest.operation) ?? .core
        specification = file.specification
        comment = "\(digest.operation): \(digest.comment)"
        self.requirements = requirements
        arguments = nil
        line = questions.line(0)
        expected = ["id": .text(digest.id), "result": .object(["digest": .text(digest.digest)])]
        intermediates = nil
        accumulated = questions
    }

    /// Creates a case that is in no vector file.
    init(
        id: String, family: String, operation: String?, profile: ConformanceProfile = .core, specification: String,
        comment: String,
        requirements: [String], arguments: JSONObject?, line: [UInt8], expected: JSONObject
    ) {
        self.id = id
        self.family = family
        self.operation = operation
        self.profile = profile
        self.specification = specification
        self.comment = comment
        self.requirements = requirements
        self.arguments = arguments
        self.line = line
        self.expected = expected
        intermediates = nil
        accumulated = nil
    }

    /// Returns the request for an operation as a line.
    static func request(id: String, _ operation: String, _ arguments: JSONObject) -> [UInt8] {
        Array(
            JSON.object(["id": .text(id), "op": .text(operation), "args": .object(arguments)]).compact.utf8)
    }

    /// Returns the reply with a result or a refusal.
    static func reply(id: JSON, _ expectation: VectorFile.Case.Expectation) -> JSONObject {
        var reply: JSONObject = ["id": id]
        for (name, value) in VectorVerification.reply(expectation).members { reply[name] = value }
        return reply
    }
}

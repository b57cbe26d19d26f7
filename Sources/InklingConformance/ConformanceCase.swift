public import InklingJSON
internal import InklingVectors

/// One question to an implementation under test, and its only right reply.
public struct ConformanceCase: Sendable {
    /// Unique among all cases.
    public let id: String
    /// The vector file without its ending, or `request` for lines that are no requests.
    public let family: String
    /// The operation that is asked for; nil when the line is no request.
    public let operation: String?
    /// The page that says what is right.
    public let specification: String
    /// What the case is about.
    public let comment: String
    /// The numbered requirements that the case shows.
    public let requirements: [String]
    /// The arguments of the operation.
    public let arguments: JSONObject?
    /// The line that is sent, without a line feed.
    public let line: [UInt8]
    /// The whole reply.
    public let expected: JSONObject
    /// Values on the way to the answer.
    public let intermediates: JSONObject?
    /// The questions behind a digest over many outputs; nil for a case of one question.
    let accumulated: AccumulatedQuestions?

    /// A case of a vector file.
    init(_ vector: VectorFile.Case, family: String, file: VectorFile) {
        id = vector.id
        self.family = family
        operation = file.operation
        specification = file.specification
        comment = vector.comment
        requirements = vector.requirements
        arguments = vector.arguments
        line = Self.request(id: vector.id, file.operation, vector.arguments)
        expected = Self.reply(id: .text(vector.id), vector.expectation)
        intermediates = vector.intermediates
        accumulated = nil
    }

    /// A digest over the outputs of an operation, which other cases show with these requirements.
    init(
        _ digest: AccumulatedFile.Case, _ questions: AccumulatedQuestions, family: String, file: AccumulatedFile,
        requirements: [String]
    ) {
        id = digest.id
        self.family = family
        operation = digest.operation
        specification = file.specification
        comment = "\(digest.operation): \(digest.comment)"
        self.requirements = requirements
        arguments = nil
        line = questions.line(0)
        expected = ["id": .text(digest.id), "result": .object(["digest": .text(digest.digest)])]
        intermediates = nil
        accumulated = questions
    }

    /// A case made on the spot.
    init(
        id: String, family: String, operation: String?, specification: String, comment: String,
        requirements: [String], arguments: JSONObject?, line: [UInt8], expected: JSONObject
    ) {
        self.id = id
        self.family = family
        self.operation = operation
        self.specification = specification
        self.comment = comment
        self.requirements = requirements
        self.arguments = arguments
        self.line = line
        self.expected = expected
        intermediates = nil
        accumulated = nil
    }

    /// The request for an operation, as one line.
    static func request(id: String, _ operation: String, _ arguments: JSONObject) -> [UInt8] {
        Array(
            JSON.object(["id": .text(id), "op": .text(operation), "args": .object(arguments)]).compact.utf8)
    }

    /// The reply that carries an answer.
    static func reply(id: JSON, _ expectation: VectorFile.Case.Expectation) -> JSONObject {
        var reply: JSONObject = ["id": id]
        for (name, value) in VectorVerification.reply(expectation).members { reply[name] = value }
        return reply
    }
}

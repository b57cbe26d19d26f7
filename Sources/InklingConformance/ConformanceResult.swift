public import InklingJSON

/// The result of one case.
public struct ConformanceResult: Sendable {
    /// The case.
    public let question: ConformanceCase
    public let outcome: ConformanceOutcome
    /// Whether it is in the list of known failures.
    public let isKnown: Bool
    /// What was measured, if that adds to the outcome.
    public var note: String?
}

/// The outcome of a case.
public enum ConformanceOutcome: Hashable, Sendable {
    case passed
    case failed(ConformanceFailure)
    /// The implementation does not list the operation.
    case unsupported
    /// The run ended before this case.
    case notRun
    /// The case could not be asked, for this reason.
    case skipped(String)

    /// Why the case failed; nil when it did not.
    public var failure: ConformanceFailure? {
        guard case .failed(let failure) = self else { return nil }
        return failure
    }

    /// The word in reports.
    public var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .unsupported: "unsupported"
        case .notRun, .skipped: "not-run"
        }
    }
}

/// How an implementation failed a case.
public enum ConformanceFailure: Hashable, Sendable {
    /// Its reply differs.
    case difference(got: JSONObject)
    /// It replied with a line that is not JSON and begins like this.
    case notJSON(beginning: String)
    /// It replied with JSON that is not a reply.
    case noReply(JSON)
    /// It replied to another request.
    case wrongID(JSON)
    /// It replied `unsupported` for an operation that it lists.
    case unsupportedThoughListed
    /// It answered more than once.
    case secondAnswer
    /// It sent a line above `ConformanceRun.replyLimit`.
    case tooLong
    /// It kept sending lines that are not replies.
    case chatter
    /// It ended instead of answering: the exit code, or the number of the signal with a minus sign.
    case ended(status: Int32)
    /// It did not answer in time.
    case overdue
    /// A running node did this instead.
    case observed(String)

    /// The name of the failure in reports.
    public var name: String {
        switch self {
        case .difference: "difference"
        case .notJSON: "not-json"
        case .noReply: "no-reply"
        case .wrongID: "wrong-id"
        case .unsupportedThoughListed: "unsupported-though-listed"
        case .secondAnswer: "second-answer"
        case .tooLong: "too-long"
        case .chatter: "chatter"
        case .ended: "ended"
        case .overdue: "timeout"
        case .observed: "observed"
        }
    }

    /// The requirement of the shim protocol that it violates; nil when it violates those of the case.
    public var requirement: String? {
        switch self {
        case .difference, .observed: nil
        case .unsupportedThoughListed: "INK-CNF-009"
        case .ended: "INK-CNF-002"
        case .notJSON, .noReply, .wrongID, .secondAnswer, .tooLong, .chatter, .overdue: "INK-CNF-001"
        }
    }

    /// The failure in words; nil for a difference, which reports explain member by member.
    public var sentence: String? {
        switch self {
        case .difference: nil
        case .notJSON(let beginning): "answered a line that is not JSON: \(beginning)"
        case .noReply(let json): "answered JSON that is not a reply: \(shortened(json.compact))"
        case .wrongID(let id): "answered under the id \(shortened(id.compact))"
        case .unsupportedThoughListed: "answered `unsupported`, though `capabilities` lists the operation"
        case .secondAnswer: "answered more than once"
        case .tooLong: "answered a line of more than \(ConformanceRun.replyLimit) bytes"
        case .chatter: "sent more than \(ConformanceRun.strayLimit) lines that are not replies"
        case .ended(let status): status < 0 ? "was ended by signal \(-status)" : "ended with exit code \(status)"
        case .overdue: "did not answer in time"
        case .observed(let what): what
        }
    }
}

/// The beginning of a long text, or a whole short one.
func shortened(_ text: String, to limit: Int = 200) -> String {
    text.utf8.count <= limit ? text : String(text.prefix(limit)) + "…"
}

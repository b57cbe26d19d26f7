public import InklingJSON

/// The result of one case.
public struct ConformanceResult: Sendable {
    /// The case that was run.
    public let question: ConformanceCase
    public let outcome: ConformanceOutcome
    /// Whether the case failed and is in the list of known failures.
    public let isKnown: Bool
    /// A measurement that supplements the outcome.
    public var note: String?
}

/// The outcome of a case.
public enum ConformanceOutcome: Hashable, Sendable {
    case passed
    case failed(ConformanceFailure)
    /// The program does not list the operation.
    case unsupported
    /// The run ended before this case.
    case notRun
    /// The case could not be run, for this reason.
    case skipped(String)

    /// The failure of the case; `nil` if it did not fail.
    public var failure: ConformanceFailure? {
        guard case .failed(let failure) = self else { return nil }
        return failure
    }

    /// The outcome as a word, as in reports.
    public var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .unsupported: "unsupported"
        case .notRun, .skipped: "not-run"
        }
    }
}

/// A way in which a program failed a case.
public enum ConformanceFailure: Hashable, Sendable {
    /// Its reply differs.
    case difference(got: JSONObject)
    /// It sent a line that is not JSON and begins like this.
    case notJSON(beginning: String)
    /// It sent JSON that is not a reply.
    case noReply(JSON)
    /// It replied to another request.
    case wrongID(JSON)
    /// It replied `unsupported` for an operation that it lists.
    case unsupportedThoughListed
    /// It replied more than once.
    case secondAnswer
    /// It sent a line above `ConformanceRun.replyLimit`.
    case tooLong
    /// It sent more than `ConformanceRun.strayLimit` lines that are not replies.
    case chatter
    /// It ended instead of replying, with this exit code or, as a negative number, this signal.
    case ended(status: Int32)
    /// It did not reply within the time limit.
    case overdue
    /// A running node behaved like this.
    case observed(String)

    /// The name of the failure in reports (`Specs/conformance.md`).
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

    /// The violated requirement of the shim protocol; `nil` if those of the case are violated.
    public var requirement: String? {
        switch self {
        case .difference, .observed: nil
        case .unsupportedThoughListed: "INK-CNF-009"
        case .ended: "INK-CNF-002"
        case .notJSON, .noReply, .wrongID, .secondAnswer, .tooLong, .chatter, .overdue: "INK-CNF-001"
        }
    }

    /// The failure in words; `nil` for a difference, which reports explain by member.
    public var sentence: String? {
        switch self {
        case .difference: nil
        case .notJSON(let beginning): "sent a line that is not JSON: \(beginning)"
        case .noReply(let json): "sent JSON that is not a reply: \(shortened(json.compact))"
        case .wrongID(let id): "replied under the id \(shortened(id.compact))"
        case .unsupportedThoughListed: "replied `unsupported`, although `capabilities` lists the operation"
        case .secondAnswer: "replied more than once"
        case .tooLong: "sent a line of more than \(ConformanceRun.replyLimit) bytes"
        case .chatter: "sent more than \(ConformanceRun.strayLimit) lines that are not replies"
        case .ended(let status): status < 0 ? "was ended by signal \(-status)" : "ended with exit code \(status)"
        case .overdue: "did not reply in time"
        case .observed(let what): what
        }
    }
}

/// Returns the beginning of a long text, or the whole of a short one.
func shortened(_ text: String, to limit: Int = 200) -> String {
    text.utf8.count <= limit ? text : String(text.prefix(limit)) + "…"
}

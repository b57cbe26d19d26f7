internal import InklingJSON

/// The result of one live check.
public struct LiveVerdict: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        /// The check passed; with a measurement, if any.
        case passed(String?)
        /// The check failed; with the observation.
        case failed(String)
        /// The check could not be made; with the reason.
        case skipped(String)
    }

    /// The id of the check.
    public let check: String
    public let outcome: Outcome

    public init(_ check: String, _ outcome: Outcome) {
        self.check = check
        self.outcome = outcome
    }

    /// Creates a verdict: passed without faults, else failed with the first three distinct ones and a count of others.
    init(_ check: String, faults: [String], note: String? = nil) {
        self.check = check
        var seen: [String] = []
        for fault in faults where !seen.contains(fault) { seen.append(fault) }
        outcome =
            switch seen.count {
            case 0: .passed(note)
            case 1...3: .failed(seen.joined(separator: "; "))
            default: .failed(seen.prefix(3).joined(separator: "; ") + "; and \(seen.count - 3) more")
            }
    }
}

extension ConformanceReport {
    /// Creates the report of a live run: every check in its order, skipped where there is no verdict.
    public init(implementation: String, live verdicts: [LiveVerdict], of checks: [LiveCheck] = LiveCheck.all) {
        let byCheck = Dictionary(verdicts.map { ($0.check, $0.outcome) }, uniquingKeysWith: { first, _ in first })
        self.init(
            implementation: implementation, specVersion: nil,
            entries: checks.map { check in
                let outcome: ConformanceOutcome
                var note: String?
                switch byCheck[check.id] {
                case .passed(let measured):
                    outcome = .passed
                    note = measured
                case .failed(let what): outcome = .failed(.observed(what))
                case .skipped(let why): outcome = .skipped(why)
                case nil: outcome = .skipped("the run ended before this check")
                }
                return Entry(
                    ConformanceResult(question: ConformanceCase(check), outcome: outcome, isKnown: false, note: note))
            })
    }
}

extension ConformanceCase {
    /// Creates the case of a report for a live check.
    init(_ check: LiveCheck) {
        self.init(
            id: check.id, family: check.part.rawValue, operation: nil, profile: .node,
            specification: check.part.page,
            comment: check.sentence, requirements: check.requirements, arguments: nil, line: Array(check.action.utf8),
            expected: JSONObject())
    }
}

extension ConformanceReport {
    /// The result for one profile, over the report's cases of it and of the profiles that it includes.
    ///
    /// `node` needs vectors and live checks, which are two reports; each names the other.
    public struct ProfileResult: Hashable, Sendable {
        public let profile: ConformanceProfile
        public let counts: Counts
        public let verdict: Verdict
        /// The missing part of the report and the command for it; `nil` if nothing is missing.
        let remark: String?

        /// Creates the result; `nil` if the report has no case of the profile itself, or a filter excluded all of them.
        init?(
            _ profile: ConformanceProfile, _ entries: [Entry], filtered: [ConformanceProfile: Int], stale: [String]
        ) {
            let own = entries.filter { $0.result.question.profile == profile }
            guard !own.isEmpty else { return nil }
            let included = profile.included
            self.profile = profile
            counts = ConformanceReport.counts(
                entries.filter { included.contains($0.result.question.profile) && !$0.isOptionalAndMissing })
            let isWhole = included.allSatisfy { filtered[$0, default: 0] == 0 }
            verdict =
                counts.failed > 0 ? .differs : counts.isComplete && isWhole && stale.isEmpty ? .conforms : .partial
            remark =
                profile != .node
                ? nil
                : own.allSatisfy(\.isLive)
                    ? "by live checks; inkling-kit conform -- PROGRAM asks for its vectors"
                    : "by vectors; inkling-kit conform live makes its live checks"
        }

        /// The number of passed cases and the remark, as text.
        var words: String {
            ["\(counts.passed) of \(counts.total)", remark].compactMap(\.self).joined(separator: ", ")
        }

        /// A symbol for the verdict, so that reports do not rely on colour alone.
        var mark: String {
            switch verdict {
            case .conforms: "✓"
            case .partial: "~"
            case .differs: "✗"
            }
        }

        var kind: String { verdict.kind }
    }
}

extension ConformanceReport.Entry {
    /// Whether the program does not list an operation that no profile requires, such as one of public vectors.
    fileprivate var isOptionalAndMissing: Bool {
        result.outcome == .unsupported
            && result.question.operation.map { ConformanceProfile(operation: $0) == nil } == true
    }
}

extension ConformanceReport.Verdict {
    /// The class in the style sheet.
    var kind: String {
        switch self {
        case .conforms: "passed"
        case .partial: "partial"
        case .differs: "failed"
        }
    }
}

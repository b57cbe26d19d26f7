internal import InklingJSON

/// The result of a run with one implementation, from which all reports are made.
public struct ConformanceReport: Sendable {
    /// A case with its result and, if it failed, its explanation.
    public struct Entry: Sendable {
        public let result: ConformanceResult
        /// The first difference in the reply; `nil` unless the case failed because the reply differs.
        public let difference: Difference?

        public init(_ result: ConformanceResult) {
            self.result = result
            difference =
                if case .failed(.difference(let got)) = result.outcome { Difference(result.question, got: got) } else {
                    nil
                }
        }

        /// The requirements that a failure violates: those of the case, or one of the shim protocol.
        var brokenRequirements: [String] {
            guard let failure = result.outcome.failure else { return [] }
            return failure.requirement.map { [$0] } ?? result.question.requirements
        }
    }

    /// The outcome of a run.
    public enum Verdict: String, Sendable {
        case conforms
        /// Every case that ran passed, but some did not run or are known failures: the program does not list the
        /// operation, or a filter excluded the case.
        case partial
        case differs

        /// The verdict as it appears in reports.
        var words: String {
            switch self {
            case .conforms: "conforms"
            case .partial: "partial"
            case .differs: "does not conform"
            }
        }
    }

    /// The number of cases with each outcome. A known failure counts as known, not as failed.
    public struct Counts: Hashable, Sendable {
        public internal(set) var passed = 0
        public internal(set) var failed = 0
        public internal(set) var known = 0
        public internal(set) var unsupported = 0
        public internal(set) var notRun = 0

        var total: Int { passed + failed + known + unsupported + notRun }
        var isComplete: Bool { unsupported + notRun + known == 0 }

        mutating func count(_ word: String, isKnown: Bool) {
            switch word {
            case "passed": passed += 1
            case "failed" where isKnown: known += 1
            case "failed": failed += 1
            case "unsupported": unsupported += 1
            default: notRun += 1
            }
        }
    }

    /// The cases of one vector file.
    struct Family {
        let name: String
        let page: String
        let entries: [Entry]
        let counts: Counts
    }

    /// The name of the implementation; by default, its command line.
    public let implementation: String
    /// The version of the specification that the implementation declares.
    public let specVersion: String?
    /// Every case in the order of the run.
    public let entries: [Entry]
    /// The lines of the list of known failures that match no failing case.
    public let stale: [String]
    /// The number of digests that were excluded because they have too many outputs.
    public let digestCount: Int
    /// The number of cases that a filter excluded.
    public let filteredCount: Int
    public let counts: Counts
    /// The result for each profile that was run, in the order of the specification.
    public let profiles: [ProfileResult]

    public init(
        implementation: String, specVersion: String?, entries: [Entry], known: KnownFailures = KnownFailures(),
        digestCount: Int = 0, filtered: [ConformanceProfile: Int] = [:],
        profiles: [ConformanceProfile] = ConformanceProfile.allCases
    ) {
        self.implementation = implementation
        self.specVersion = specVersion
        self.entries = entries
        self.digestCount = digestCount
        filteredCount = filtered.values.reduce(0, +)
        let stale = known.stale(entries.map(\.result))
        self.stale = stale
        counts = Self.counts(entries)
        self.profiles = profiles.compactMap { ProfileResult($0, entries, filtered: filtered, stale: stale) }
    }

    public var verdict: Verdict {
        if counts.failed > 0 || !stale.isEmpty { return .differs }
        return isComplete && filteredCount == 0 ? .conforms : .partial
    }

    /// Whether every case of the suite was run, and none is a known failure.
    public var isComplete: Bool { counts.isComplete }

    /// The families in the order of the run.
    var families: [Family] {
        var order: [String] = []
        var members: [String: [Entry]] = [:]
        for entry in entries {
            let name = entry.result.question.family
            if members[name] == nil { order.append(name) }
            members[name, default: []].append(entry)
        }
        return order.map { name in
            let entries = members[name] ?? []
            return Family(
                name: name, page: page(of: entries.first?.result.question.specification ?? ""), entries: entries,
                counts: Self.counts(entries))
        }
    }

    /// The pages in alphabetical order, each with its families.
    var pages: [(name: String, families: [Family])] {
        let families = families
        return Set(families.map(\.page)).sorted().map { page in (page, families.filter { $0.page == page }) }
    }

    /// The counts of outcomes for each requirement, in order of their numbers.
    var requirements: [(number: String, counts: Counts)] {
        var counts: [String: Counts] = [:]
        for entry in entries {
            let question = entry.result.question
            let broken = entry.brokenRequirements
            for number in question.requirements where broken.isEmpty || broken.contains(number) {
                counts[number, default: Counts()].count(entry.result.outcome.word, isKnown: entry.result.isKnown)
            }
            for number in broken where !question.requirements.contains(number) {
                counts[number, default: Counts()].count(entry.result.outcome.word, isKnown: entry.result.isKnown)
            }
        }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    static func counts(_ entries: [Entry]) -> Counts {
        var counts = Counts()
        for entry in entries { counts.count(entry.result.outcome.word, isKnown: entry.result.isKnown) }
        return counts
    }
}

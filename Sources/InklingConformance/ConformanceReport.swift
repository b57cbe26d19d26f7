internal import InklingJSON

/// What a run found out about one implementation: what every kind of report is made from.
public struct ConformanceReport: Sendable {
    /// One case with its explanation.
    public struct Entry: Sendable {
        public let result: ConformanceResult
        /// Where the reply differs; nil unless the case failed by a difference.
        public let difference: Difference?

        public init(_ result: ConformanceResult) {
            self.result = result
            difference =
                if case .failed(.difference(let got)) = result.outcome { Difference(result.question, got: got) } else {
                    nil
                }
        }

        /// The requirements that a failure breaks: those of the case, or that of the shim protocol.
        var brokenRequirements: [String] {
            guard let failure = result.outcome.failure else { return [] }
            return failure.requirement.map { [$0] } ?? result.question.requirements
        }
    }

    /// The outcome as a whole.
    public enum Verdict: String, Sendable {
        case conforms
        /// Everything that was asked is right, and something was not asked: the program does not have it, it is known
        /// to fail, or a filter left it out.
        case partial
        case differs
    }

    /// How many cases ended in which way. A known failure is counted as known, and not as failed.
    public struct Counts: Hashable, Sendable {
        public internal(set) var passed = 0
        public internal(set) var failed = 0
        public internal(set) var known = 0
        public internal(set) var unsupported = 0
        public internal(set) var notRun = 0

        var total: Int { passed + failed + known + unsupported + notRun }

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

    /// What the implementation is called: its command line, unless its people give a name.
    public let implementation: String
    /// What it says it implements.
    public let specVersion: String?
    /// Every case in the order of the run.
    public let entries: [Entry]
    /// Lines of the list of known failures that no failure bears out.
    public let stale: [String]
    /// How many digests were left out.
    public let digestCount: Int
    /// How many cases a filter left out.
    public let filteredCount: Int
    public let counts: Counts

    public init(
        implementation: String, specVersion: String?, entries: [Entry], known: KnownFailures = KnownFailures(),
        digestCount: Int = 0, filteredCount: Int = 0
    ) {
        self.implementation = implementation
        self.specVersion = specVersion
        self.entries = entries
        self.digestCount = digestCount
        self.filteredCount = filteredCount
        stale = known.stale(entries.map(\.result))
        counts = Self.counts(entries)
    }

    public var verdict: Verdict {
        if counts.failed > 0 || !stale.isEmpty { return .differs }
        return isComplete && filteredCount == 0 ? .conforms : .partial
    }

    /// Whether all that was to be asked was asked, and nothing is known to fail.
    public var isComplete: Bool { counts.unsupported + counts.notRun + counts.known == 0 }

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

    /// The pages in alphabetic order, each with its families.
    var pages: [(name: String, families: [Family])] {
        let families = families
        return Set(families.map(\.page)).sorted().map { page in (page, families.filter { $0.page == page }) }
    }

    /// How the cases of each requirement ended, by number.
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

    private static func counts(_ entries: [Entry]) -> Counts {
        var counts = Counts()
        for entry in entries { counts.count(entry.result.outcome.word, isKnown: entry.result.isKnown) }
        return counts
    }
}

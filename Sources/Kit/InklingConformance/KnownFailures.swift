/// The cases that an implementation is known to fail.
public struct KnownFailures: Sendable {
    private let patterns: [(text: String, pattern: CasePattern)]

    /// Parses a list with one id or pattern per line; `#` begins a comment.
    public init(_ text: String) {
        patterns = text.split(separator: "\n").compactMap { line in
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            return words.first.map { (String($0), CasePattern(String($0))) }
        }
    }

    /// Creates an empty list.
    public init() { patterns = [] }

    /// Returns whether the case is in the list.
    func contains(_ one: ConformanceCase) -> Bool { patterns.contains { $0.pattern.matches(one.id) } }

    /// Returns the lines that match no failing case. They count as failures: a stale list hides the next failure.
    func stale(_ results: [ConformanceResult]) -> [String] {
        patterns.filter { entry in
            !results.contains { $0.outcome.failure != nil && entry.pattern.matches($0.question.id) }
        }.map(\.text)
    }
}

internal import InklingJSON
public import InklingVectors

/// The cases of a run, family by family.
public struct ConformanceSuite: Sendable {
    /// The cases in the order in which they are run.
    public internal(set) var cases: [ConformanceCase] = []
    /// The number of digests excluded because they have too many outputs.
    public private(set) var digestCount = 0
    /// The number of cases that a filter excluded.
    public var filteredCount: Int { filtered.values.reduce(0, +) }
    /// The number of cases that a filter excluded, by profile.
    public private(set) var filtered: [ConformanceProfile: Int] = [:]
    /// The profiles of the run.
    public private(set) var profiles = ConformanceProfile.allCases
    // The profiles of the excluded digests.
    private var omittedDigests: [ConformanceProfile] = []

    /// Creates a suite: the lines that are not requests, the cases of these vector files, and then the digests over at
    /// most `outputLimit` outputs, each of which is a request.
    ///
    /// - Throws: `VectorFileError.repeatedID` if two files use the same id.
    public init(
        _ files: [(name: String, document: VectorDocument)], outputLimit: Int = 1000
    ) throws(VectorFileError) {
        cases = requestCases
        var seen = Set(cases.map(\.id))
        var digests: [(family: String, file: AccumulatedFile)] = []
        for (name, document) in files {
            switch document {
            case .digests(let file): digests.append((Self.family(name), file))
            case .cases(let file):
                let family = Self.family(name)
                for one in file.cases {
                    guard seen.insert(one.id).inserted else { throw .repeatedID(one.id) }
                    cases.append(ConformanceCase(one, family: family, file: file))
                }
            }
        }
        for (family, file) in digests {
            for digest in file.cases {
                guard seen.insert(digest.id).inserted else { throw .repeatedID(digest.id) }
                guard digest.count <= outputLimit, let questions = AccumulatedRequests(digest) else {
                    digestCount += 1
                    omittedDigests.append(ConformanceProfile(operation: digest.operation) ?? .core)
                    continue
                }
                let shown = cases.first { $0.operation == digest.operation && $0.expected["result"] != nil }
                cases.append(
                    ConformanceCase(
                        digest, questions, family: family, file: file, requirements: shown?.requirements ?? []))
            }
        }
    }

    private static func family(_ name: String) -> String { name.hasSuffix(".json") ? String(name.dropLast(5)) : name }

    /// Keeps the cases of these profiles and of those that they include; an empty list keeps all.
    public mutating func keep(_ chosen: [ConformanceProfile]) {
        guard !chosen.isEmpty else { return }
        let included = chosen.reduce(into: Set<ConformanceProfile>()) { $0.formUnion($1.included) }
        profiles = profiles.filter(included.contains)
        cases.removeAll { !included.contains($0.profile) }
        omittedDigests.removeAll { !included.contains($0) }
        digestCount = omittedDigests.count
    }

    /// Keeps the cases that match one of the patterns; an empty list keeps all.
    public mutating func keep(_ patterns: [CasePattern]) {
        guard !patterns.isEmpty else { return }
        for one in cases where !patterns.contains(where: { $0.matches(one) }) { filtered[one.profile, default: 0] += 1 }
        cases.removeAll { one in !patterns.contains { $0.matches(one) } }
        if !patterns.contains(where: { $0.matches("accumulated") }) { digestCount = 0 }
    }
}

/// A pattern for a family, an operation, a page, a requirement or an id; `*` stands for any characters.
public struct CasePattern: Sendable {
    private let pattern: [UInt8]

    public init(_ text: String) { pattern = Array(text.utf8) }

    /// Returns whether the pattern matches the case in any of these ways.
    public func matches(_ one: ConformanceCase) -> Bool {
        matches(one.id) || matches(one.family) || one.operation.map(matches) == true
            || matches(page(of: one.specification)) || one.requirements.contains(where: matches)
    }

    /// Returns whether the pattern matches the id of the case.
    public func matchesID(of one: ConformanceCase) -> Bool { matches(one.id) }

    /// Returns whether the pattern matches the whole text.
    func matches(_ text: String) -> Bool {
        let text = Array(text.utf8)
        // Where to resume when the assumed length of the last star fails: one comparison per character and star.
        var place = 0
        var at = 0
        var star: (pattern: Int, text: Int)?
        while at < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, at)
                place += 1
            } else if place < pattern.count, pattern[place] == text[at] {
                place += 1
                at += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                place = last.pattern + 1
                at = last.text + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// Returns the file name of a page: `identifiers.md` of `Specs/identifiers.md`.
func page(of specification: String) -> String {
    specification.split(separator: "/").last.map(String.init) ?? specification
}

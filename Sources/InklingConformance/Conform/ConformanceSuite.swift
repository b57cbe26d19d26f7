/// The cases that an implementation is asked, family by family.
public struct ConformanceSuite: Sendable {
    /// The cases in the order in which they are asked.
    public internal(set) var cases: [ConformanceCase] = []
    /// How many digests over many outputs were left out, because no single question shows them.
    public private(set) var digestCount = 0

    /// The cases of these vector files, and the lines that are no requests.
    ///
    /// - Throws: `VectorFileError.repeatedID` when two files use one id.
    public init(_ files: [(name: String, document: VectorDocument)]) throws(VectorFileError) {
        cases = requestCases
        var seen = Set(cases.map(\.id))
        for (name, document) in files {
            switch document {
            case .digests(let file): digestCount += file.cases.count
            case .cases(let file):
                let family = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
                for one in file.cases {
                    guard seen.insert(one.id).inserted else { throw .repeatedID(one.id) }
                    cases.append(ConformanceCase(one, family: family, file: file))
                }
            }
        }
    }

    /// Keeps the cases that one of the patterns names; all of them when there is no pattern.
    public mutating func keep(_ patterns: [CasePattern]) {
        guard !patterns.isEmpty else { return }
        cases.removeAll { one in !patterns.contains { $0.matches(one) } }
        if !patterns.contains(where: { $0.matches("accumulated") }) { digestCount = 0 }
    }
}

/// A family, an operation, a page, a requirement or an id, with `*` for any characters.
public struct CasePattern: Sendable {
    private let pattern: [UInt8]

    public init(_ text: String) { pattern = Array(text.utf8) }

    /// Whether it names the case in any of these ways.
    public func matches(_ one: ConformanceCase) -> Bool {
        matches(one.id) || matches(one.family) || one.operation.map(matches) == true
            || matches(page(of: one.specification)) || one.requirements.contains(where: matches)
    }

    /// Whether the text fits.
    func matches(_ text: String) -> Bool {
        let text = Array(text.utf8)
        // Where to go on when a guess about the last star fails: one comparison per character and star.
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

/// `identifiers.md` of `Specs/identifiers.md`.
func page(of specification: String) -> String {
    specification.split(separator: "/").last.map(String.init) ?? specification
}

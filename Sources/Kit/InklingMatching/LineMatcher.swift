internal import CLogLines
internal import InklingEngine
internal import InklingKeys

/// Reads the sightings in the lines of a log and writes those that contacts may have shown, block by block
/// (`Specs/matching.md`).
///
/// It keeps nothing but its working memory from block to block, so that several can match parts of a log in parallel.
public struct LineMatcher {
    /// The rules of the matching, and of rejected lines.
    public struct Rules: Sendable {
        /// The time range of matched sightings, in Unix milliseconds.
        public var times: Range<UInt64>
        /// Whether matching continues after a rejected line.
        public var keepsGoing: Bool
        /// Returns the labels of the contacts.
        public var labels: @Sendable () -> [String]

        /// Creates rules.
        public init(times: Range<UInt64>, keepsGoing: Bool, labels: @escaping @Sendable () -> [String]) {
            self.times = times
            self.keepsGoing = keepsGoing
            self.labels = labels
        }
    }

    /// The number of lines matched together.
    private static let batch = 1024

    private let rules: Rules
    private var search: OwnerSearch
    private var lines = [log_line](repeating: log_line(), count: batch)
    private var writer = MatchWriter()

    /// Creates a matcher of lines.
    public init(_ matcher: Matcher, rules: Rules) {
        self.rules = rules
        search = OwnerSearch(matcher)
    }

    /// Matches the lines of a block, up to the first rejected one unless the rules say otherwise.
    ///
    /// - Parameters:
    ///   - block: the lines.
    ///   - before: the number of lines in the log before the block.
    /// - Returns: the matches, the rejected lines and the counts.
    /// - Throws: any error of the computation of predictions.
    public mutating func match(_ block: LogBlock, after before: Int) throws -> MatchedLines {
        var matched = MatchedLines()
        matched.before = before
        try unsafe block.withBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            var place = 0
            while !matched.isStopped {
                let count = unsafe lines.withUnsafeMutableBufferPointer { lines in
                    unsafe lines.baseAddress.map { unsafe log_lines_read(start, bytes.count, &place, $0, lines.count) }
                        ?? 0
                }
                if count == 0 { return }
                let kept = unsafe judge(count, bytes, &matched)
                try unsafe lines.withUnsafeBufferPointer { lines in
                    try unsafe search.find(UnsafeBufferPointer(rebasing: lines[..<kept]))
                }
                unsafe write(bytes, &matched)
            }
        }
        return matched
    }

    /// Counts lines by kind, and reads those left by the fast parser. Returns the number of lines to match; lines that
    /// must not be matched become blank.
    private mutating func judge(_ count: Int, _ bytes: UnsafeBufferPointer<UInt8>, _ matched: inout MatchedLines) -> Int
    {
        for index in 0..<count {
            matched.tally.lines += 1
            if Int32(lines[index].kind) == LOG_LINE_OTHER {
                let line = Int(lines[index].start)..<Int(lines[index].start) + Int(lines[index].count)
                do throws(SightingError) {
                    guard
                        let sighting = try SightingReader.readCompletely(
                            unsafe Array(bytes[line.prefix(Sighting.lineLimit + 1)]))
                    else { continue }
                    let place = (lines[index].start, lines[index].count)
                    lines[index] = log_line(sighting)
                    (lines[index].start, lines[index].count) = place
                    lines[index].has |= UInt8(LOG_LINE_UNPRINTABLE)
                } catch {
                    matched.tally.wrong += 1
                    // Its place in the output is known once the lines before it are written.
                    matched.add(error, at: matched.before + matched.tally.lines)
                    if rules.keepsGoing { continue }
                    matched.isStopped = true
                    return index
                }
            }
            guard Int32(lines[index].kind) == LOG_LINE_SIGHTING else { continue }
            if rules.times.contains(lines[index].time) {
                matched.tally.sightings += 1
            } else {
                matched.tally.passedOver += 1
                lines[index].kind = UInt8(LOG_LINE_BLANK)
            }
        }
        return count
    }

    /// Writes the matches of the last search.
    private mutating func write(_ bytes: UnsafeBufferPointer<UInt8>, _ matched: inout MatchedLines) {
        for covered in search.isCovered where !covered { matched.tally.uncovered += 1 }
        for chance in search.byChance { matched.tally.byChance += chance }
        let first = matched.before + matched.tally.lines - search.isCovered.count - (matched.isStopped ? 1 : 0)
        var place = 0
        while place < search.matches.count {
            let match = search.matches[place]
            var end = place + 1
            while end < search.matches.count, search.matches[end].line == match.line,
                search.matches[end].isByName == match.isByName
            { end += 1 }
            if match.isByName { matched.tally.byName += 1 } else { matched.tally.byMinor += 1 }
            if search.matches[place..<end].contains(where: { $0.owner.contact >= writer.labelCount }) {
                writer.setLabels(rules.labels())
            }
            let number = first + match.line + 1
            matched.placeFaults(before: number)
            unsafe writer.write(
                number, lines[match.line], bytes, isByName: match.isByName, of: search.matches[place..<end],
                into: &matched.output)
            place = end
        }
        matched.placeFaults(before: .max)
    }
}

/// The findings in the lines of a block.
public struct MatchedLines: Sendable {
    /// A rejected line.
    public struct Fault: Sendable {
        /// The number of the line in the log, from 1.
        public let line: Int
        /// The reason for the rejection.
        public let error: SightingError
        /// The number of output bytes before it.
        public internal(set) var place: Int
    }

    /// The largest number of faults kept per block.
    public static let faultLimit = 10

    /// The number of lines in the log before the block.
    public internal(set) var before = 0
    /// The counts of the block.
    public internal(set) var tally = MatchTally()
    /// The matches, one JSON object per line.
    public internal(set) var output: [UInt8] = []
    /// The first rejected lines.
    public private(set) var faults: [Fault] = []
    /// Whether the last fault ended the matching.
    public internal(set) var isStopped = false

    // The faults from here on have no place yet.
    private var placed = 0

    mutating func add(_ error: SightingError, at line: Int) {
        if faults.count < Self.faultLimit { faults.append(Fault(line: line, error: error, place: 0)) }
    }

    mutating func placeFaults(before line: Int) {
        while placed < faults.count, faults[placed].line < line {
            faults[placed].place = output.count
            placed += 1
        }
    }
}

/// The counts of lines, sightings and matches.
public struct MatchTally: Hashable, Sendable {
    /// All lines, and the rejected ones.
    public internal(set) var lines = 0, wrong = 0
    /// Matched sightings, those outside the requested times, and those without predictions.
    public internal(set) var sightings = 0, passedOver = 0, uncovered = 0
    /// Sightings whose name, and whose minor, a contact may have shown.
    public internal(set) var byName = 0, byMinor = 0
    /// The expected number of minor matches by chance.
    public internal(set) var byChance = 0.0

    /// Creates empty counts.
    public init() {}

    /// Adds the counts of other lines.
    public static func += (left: inout Self, right: Self) {
        left.lines += right.lines
        left.wrong += right.wrong
        left.sightings += right.sightings
        left.passedOver += right.passedOver
        left.uncovered += right.uncovered
        left.byName += right.byName
        left.byMinor += right.byMinor
        left.byChance += right.byChance
    }
}

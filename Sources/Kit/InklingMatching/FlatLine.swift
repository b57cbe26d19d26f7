/// A fast parser for lines that are one flat JSON object of plain numbers and strings; it finds the members without
/// copying them.
///
/// `scan` returns false for any other line, which the caller then passes to the full JSON parser.
struct FlatLine {
    enum Kind: Hashable {
        /// Digits with an optional sign and fraction.
        case number
        /// A string of printable ASCII without escapes; the range excludes its quotes.
        case text
        /// `true`, `false` or `null`.
        case word
    }

    struct Member {
        let name: Range<Int>
        let kind: Kind
        let value: Range<Int>
    }

    /// The largest number of members; `scan` returns false for lines with more.
    private static let limit = 16

    private(set) var members: [Member] = []

    init() { members.reserveCapacity(Self.limit) }

    /// Finds the members of a line. Returns false if it does not have this shape, whether or not it is JSON.
    mutating func scan(_ line: Span<UInt8>) -> Bool {
        members.removeAll(keepingCapacity: true)
        var place = Self.skipSpace(line, 0)
        guard place < line.count, line[place] == UInt8(ascii: "{") else { return false }
        place += 1
        while members.count < Self.limit {
            place = Self.skipSpace(line, place)
            guard let name = Self.text(line, &place) else { return false }
            for member in members where Self.areEqual(line, member.name, name) { return false }
            place = Self.skipSpace(line, place)
            guard place < line.count, line[place] == UInt8(ascii: ":") else { return false }
            place = Self.skipSpace(line, place + 1)
            guard let (kind, value) = Self.value(line, &place) else { return false }
            members.append(Member(name: name, kind: kind, value: value))
            place = Self.skipSpace(line, place)
            guard place < line.count else { return false }
            if line[place] == UInt8(ascii: "}") { return Self.skipSpace(line, place + 1) == line.count }
            guard line[place] == UInt8(ascii: ",") else { return false }
            place += 1
        }
        return false
    }

    /// Returns the member with this name; `nil` if the line has none.
    func member(_ name: StaticString, in line: Span<UInt8>) -> Member? {
        members.first { member in
            guard member.name.count == name.utf8CodeUnitCount else { return false }
            return name.withUTF8Buffer { bytes in
                for offset in bytes.indices where unsafe bytes[offset] != line[member.name.lowerBound + offset] {
                    return false
                }
                return true
            }
        }
    }

    private static func value(_ line: Span<UInt8>, _ place: inout Int) -> (Kind, Range<Int>)? {
        guard place < line.count else { return nil }
        switch line[place] {
        case UInt8(ascii: "\""): return text(line, &place).map { (.text, $0) }
        case UInt8(ascii: "t"): return word(line, &place, "true")
        case UInt8(ascii: "f"): return word(line, &place, "false")
        case UInt8(ascii: "n"): return word(line, &place, "null")
        default: return number(line, &place).map { (.number, $0) }
        }
    }

    private static func text(_ line: Span<UInt8>, _ place: inout Int) -> Range<Int>? {
        guard place < line.count, line[place] == UInt8(ascii: "\"") else { return nil }
        let start = place + 1
        place = start
        while place < line.count {
            let byte = line[place]
            if byte == UInt8(ascii: "\"") {
                place += 1
                return start..<place - 1
            }
            guard (0x20..<0x7f).contains(byte), byte != UInt8(ascii: "\\") else { return nil }
            place += 1
        }
        return nil
    }

    private static func number(_ line: Span<UInt8>, _ place: inout Int) -> Range<Int>? {
        let start = place
        if line[place] == UInt8(ascii: "-") { place += 1 }
        let first = place
        skipDigits(line, &place)
        guard place > first, place == first + 1 || line[first] != UInt8(ascii: "0") else { return nil }
        if place < line.count, line[place] == UInt8(ascii: ".") {
            place += 1
            let fraction = place
            skipDigits(line, &place)
            guard place > fraction else { return nil }
        }
        return start..<place
    }

    private static func word(_ line: Span<UInt8>, _ place: inout Int, _ word: String) -> (Kind, Range<Int>)? {
        let start = place
        for byte in word.utf8 {
            guard place < line.count, line[place] == byte else { return nil }
            place += 1
        }
        return (.word, start..<place)
    }

    private static func skipDigits(_ line: Span<UInt8>, _ place: inout Int) {
        while place < line.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[place]) { place += 1 }
    }

    private static func skipSpace(_ line: Span<UInt8>, _ start: Int) -> Int {
        var place = start
        while place < line.count, line[place] == 0x20 || line[place] == 0x09 || line[place] == 0x0d { place += 1 }
        return place
    }

    private static func areEqual(_ line: Span<UInt8>, _ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count where line[left.lowerBound + offset] != line[right.lowerBound + offset] {
            return false
        }
        return true
    }
}

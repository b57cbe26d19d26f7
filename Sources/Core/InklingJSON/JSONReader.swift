/// The reason and the place where a text is not JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of error; the raw value describes it in words.
    public enum Fault: String, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedCharacter = "unexpected character"
        case badNumber = "malformed number"
        case badEscape = "malformed escape"
        case controlCharacter = "a control character inside a string"
        case notUTF8 = "not UTF-8"
        case tooDeep = "nested too deeply"
        case repeatedName = "a member name is repeated"
        case trailingText = "text after the value"
    }

    /// The kind of error.
    public let fault: Fault
    /// The offset of the offending byte, counted from 0.
    public let offset: Int
    /// The line of that byte, counted from 1.
    public let line: Int

    public var description: String { "line \(line), byte \(offset): \(fault.rawValue)" }
}

extension JSON {
    /// The greatest nesting depth of arrays and objects.
    public static let depthLimit = 64

    /// Parses exactly one value.
    ///
    /// - Throws: `JSONError` for text that is not valid JSON by RFC 8259, for repeated member names, for lone
    ///   surrogates and for nesting beyond `depthLimit`.
    public init(parsing bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes: bytes, keeps: true)
        self = try reader.document()
    }

    /// Returns whether a text is exactly one value, as `init(parsing:)` would read it, without copying its contents.
    package static func isValid(_ bytes: [UInt8]) -> Bool {
        var reader = JSONReader(bytes: bytes, keeps: false)
        do { _ = try reader.document() } catch { return false }
        return true
    }

    /// Returns whether a text begins like an object.
    package static func beginsWithObject(_ bytes: [UInt8]) -> Bool {
        bytes.first { ![0x20, 0x0a, 0x0d, 0x09].contains($0) } == UInt8(ascii: "{")
    }
}

private struct JSONReader {
    let bytes: [UInt8]
    /// Whether values are kept, or only validated.
    let keeps: Bool
    var offset = 0

    init(bytes: [UInt8], keeps: Bool) {
        self.bytes = bytes
        self.keeps = keeps
    }

    mutating func document() throws(JSONError) -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard offset == bytes.count else { throw error(.trailingText) }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        guard depth <= JSON.depthLimit else { throw error(.tooDeep) }
        skipSpace()
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .list(try list(depth: depth))
        case UInt8(ascii: "\""): return .text(try string(keeping: keeps))
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        var object = JSONObject()
        offset += 1
        skipSpace()
        if try peek() == UInt8(ascii: "}") {
            offset += 1
            return object
        }
        while true {
            skipSpace()
            guard try peek() == UInt8(ascii: "\"") else { throw error(.unexpectedCharacter) }
            let start = offset
            let name = try string(keeping: true)
            guard object[name] == nil else { throw error(.repeatedName, at: start) }
            skipSpace()
            guard try next() == UInt8(ascii: ":") else { throw error(.unexpectedCharacter, at: offset - 1) }
            object[name] = try value(depth: depth + 1)
            skipSpace()
            switch try next() {
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "}"): return object
            default: throw error(.unexpectedCharacter, at: offset - 1)
            }
        }
    }

    private mutating func list(depth: Int) throws(JSONError) -> [JSON] {
        var elements: [JSON] = []
        offset += 1
        skipSpace()
        if try peek() == UInt8(ascii: "]") {
            offset += 1
            return elements
        }
        while true {
            let element = try value(depth: depth + 1)
            if keeps { elements.append(element) }
            skipSpace()
            switch try next() {
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "]"): return elements
            default: throw error(.unexpectedCharacter, at: offset - 1)
            }
        }
    }

    private mutating func string(keeping: Bool) throws(JSONError) -> String {
        let start = offset
        offset += 1
        var content: [UInt8] = []
        var isUTF8 = true
        while true {
            let run = offset
            skipPlain()
            let plain = run..<offset
            let byte = try next()
            if keeping, byte == UInt8(ascii: "\""), content.isEmpty {
                // Most texts have no escapes; they are copied once.
                guard let text = String(validating: bytes[plain], as: UTF8.self) else {
                    throw error(.notUTF8, at: start)
                }
                return text
            }
            if keeping {
                content.append(contentsOf: bytes[plain])
            } else {
                isUTF8 = isUTF8 && Self.isUTF8(bytes.span.extracting(plain))
            }
            switch byte {
            case UInt8(ascii: "\""):
                guard isUTF8, let text = String(validating: content, as: UTF8.self) else {
                    throw error(.notUTF8, at: start)
                }
                return text
            case UInt8(ascii: "\\"):
                try escape(into: &content)
                if !keeping { content.removeAll(keepingCapacity: true) }
            default: throw error(.controlCharacter, at: offset - 1)
            }
        }
    }

    private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes)
            return true
        } catch { return false }
    }

    /// Skips the unescaped characters of a string.
    private mutating func skipPlain() {
        while offset < bytes.count, bytes[offset] >= 0x20, bytes[offset] != UInt8(ascii: "\""),
            bytes[offset] != UInt8(ascii: "\\")
        {
            offset += 1
        }
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
        switch try next() {
        case UInt8(ascii: "\""): content.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): content.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): content.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): content.append(8)
        case UInt8(ascii: "f"): content.append(12)
        case UInt8(ascii: "n"): content.append(10)
        case UInt8(ascii: "r"): content.append(13)
        case UInt8(ascii: "t"): content.append(9)
        case UInt8(ascii: "u"):
            var units = [try codeUnit()]
            if UTF16.isLeadSurrogate(units[0]) {
                guard try next() == UInt8(ascii: "\\"), try next() == UInt8(ascii: "u") else {
                    throw error(.badEscape, at: offset - 1)
                }
                units.append(try codeUnit())
            }
            guard let text = String(validating: units, as: UTF16.self) else { throw error(.badEscape, at: offset - 1) }
            content.append(contentsOf: text.utf8)
        default: throw error(.badEscape, at: offset - 1)
        }
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(UnicodeScalar(try next())).hexDigitValue else {
                throw error(.badEscape, at: offset - 1)
            }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    private mutating func number() throws(JSONError) -> String {
        let start = offset
        if peekIf(UInt8(ascii: "-")) { offset += 1 }
        if peekIf(UInt8(ascii: "0")) {
            offset += 1
        } else {
            try digits(from: start)
        }
        if peekIf(UInt8(ascii: ".")) {
            offset += 1
            try digits(from: start)
        }
        if peekIf(UInt8(ascii: "e")) || peekIf(UInt8(ascii: "E")) {
            offset += 1
            if peekIf(UInt8(ascii: "+")) || peekIf(UInt8(ascii: "-")) { offset += 1 }
            try digits(from: start)
        }
        return keeps ? String(decoding: bytes[start..<offset], as: UTF8.self) : ""
    }

    private mutating func digits(from start: Int) throws(JSONError) {
        let first = offset
        while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
        guard offset > first else {
            throw start == first ? error(.unexpectedCharacter, at: start) : error(.badNumber, at: start)
        }
    }

    private mutating func word(_ word: String, _ value: JSON) throws(JSONError) -> JSON {
        guard bytes[offset...].starts(with: word.utf8) else { throw error(.unexpectedCharacter) }
        offset += word.utf8.count
        return value
    }

    private mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x0a, 0x0d, 0x09].contains(bytes[offset]) { offset += 1 }
    }

    private func peek() throws(JSONError) -> UInt8 {
        guard offset < bytes.count else { throw error(.unexpectedEnd) }
        return bytes[offset]
    }

    private func peekIf(_ byte: UInt8) -> Bool { offset < bytes.count && bytes[offset] == byte }

    private mutating func next() throws(JSONError) -> UInt8 {
        let byte = try peek()
        offset += 1
        return byte
    }

    private func error(_ fault: JSONError.Fault, at place: Int? = nil) -> JSONError {
        let place = place ?? offset
        let line = bytes.prefix(place).count(where: { $0 == 0x0a }) + 1
        return JSONError(fault: fault, offset: place, line: line)
    }
}

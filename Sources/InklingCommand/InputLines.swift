#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The lines of standard input or of a file, without their line feeds.
struct InputLines: Sequence, IteratorProtocol {
    private let descriptor: Int32
    private let limit: Int
    private var buffer: [UInt8] = []
    // Where the bytes begin that are not returned yet.
    private var start = 0
    private var ended = false
    private(set) var byteCount = 0

    /// Creates a reader of standard input. It cuts a line of more than `limit` bytes off after `limit` + 1 bytes, so that its
    /// caller can reject the line.
    init(limit: Int) { self.init(descriptor: STDIN_FILENO, limit: limit) }

    /// Creates a reader of a descriptor, which it does not close.
    init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    mutating func next() -> [UInt8]? {
        var searched = start
        var cut: [UInt8]?
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0a) {
                let line = cut ?? Array(buffer[start..<Swift.min(end, start + limit + 1)])
                start = end + 1
                return line
            }
            if buffer.count - start > limit || cut != nil {
                // Keep what proves that the line is too long, and skip the rest.
                cut = cut ?? Array(buffer[start...].prefix(limit + 1))
                buffer.removeAll(keepingCapacity: true)
                start = 0
            } else if start > 0 {
                buffer.removeFirst(start)
                start = 0
            }
            searched = buffer.count
            if ended {
                defer { buffer = [] }
                return cut ?? (buffer.isEmpty ? nil : buffer)
            }
            fill()
        }
    }

    private mutating func fill() {
        var chunk = [UInt8](repeating: 0, count: 262_144)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            buffer += chunk[..<count]
            byteCount += count
        } else if count == 0 || errno != EINTR {
            ended = true
        }
    }
}

/// Returns the text `INKLING:…` from the arguments, or from standard input for `-`.
///
/// Mail programs and terminals wrap long texts, so several arguments, or several lines of input, are joined. On standard
/// input other lines may surround the text, as in the output of `inkling invite`.
///
/// - Throws: `Failure` when standard input contains no such text.
func objectText(_ arguments: [String]) throws(Failure) -> String {
    guard arguments == ["-"] else { return arguments.joined().filter { !$0.isWhitespace } }
    var lines = InputLines(limit: 65_536)
    var text: String?
    var isEmpty = true
    while let line = lines.next() {
        guard let read = String(validating: line, as: UTF8.self) else {
            throw Failure(.badData, "standard input is not text")
        }
        let words = read.split(whereSeparator: \.isWhitespace)
        isEmpty = isEmpty && words.isEmpty
        if let begun = text {
            // A continuation is a line of base32 and nothing else.
            guard words.count == 1, words[0].utf8.allSatisfy(isBase32) else { break }
            text = begun + words[0]
        } else if words.count == 1, words[0].uppercased().hasPrefix("INKLING:") {
            text = String(words[0])
        }
        // A person who pastes the text into a terminal does not have to end the input.
        if let text, (try? ObjectText(text)) != nil { return text }
    }
    if let text { return text }
    throw Failure(
        .badData, isEmpty ? "standard input is empty" : "standard input contains no line that begins with INKLING:")
}

private func isBase32(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "2")...UInt8(ascii: "7"):
        true
    default: false
    }
}

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
    // Where the part of the buffer begins that was not returned yet.
    private var start = 0
    private var ended = false
    private(set) var byteCount = 0

    /// The lines of standard input. Lines longer than `limit` bytes are cut off at `limit` + 1 bytes, so that the reader
    /// can reject them.
    init(limit: Int) { self.init(descriptor: STDIN_FILENO, limit: limit) }

    /// The lines of what is open as `descriptor`, which stays open.
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
                // Keep only as much as proves the line too long, and skip the rest of it.
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

/// A text in the form `INKLING:…` that was given as arguments, or with `-` on standard input.
///
/// Mail programs and terminals wrap long texts: several arguments, or several lines of input, are joined. On standard input
/// the text may stand between other lines, as `inkling invite` prints it.
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
            // Only a line that is nothing but more of it belongs to it.
            guard words.count == 1, words[0].utf8.allSatisfy(isBase32) else { break }
            text = begun + words[0]
        } else if words.count == 1, words[0].uppercased().hasPrefix("INKLING:") {
            text = String(words[0])
        }
        // A person who pastes it into a terminal need not end the input.
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

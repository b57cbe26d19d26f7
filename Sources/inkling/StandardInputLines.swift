#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The lines of standard input, without their line feeds.
struct StandardInputLines: Sequence, IteratorProtocol {
    private let limit: Int
    private var buffer: [UInt8] = []
    private var ended = false

    /// Lines longer than `limit` bytes are cut off at `limit` + 1 bytes, so that the reader can refuse them.
    init(limit: Int) { self.limit = limit }

    mutating func next() -> [UInt8]? {
        var searched = 0
        var cut: [UInt8]?
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0a) {
                let line = cut ?? Array(buffer[..<Swift.min(end, limit + 1)])
                buffer.removeFirst(end + 1)
                return line
            }
            searched = buffer.count
            if buffer.count > limit || cut != nil {
                // Keep only as much as proves the line too long, and skip the rest of it.
                cut = cut ?? Array(buffer.prefix(limit + 1))
                buffer.removeAll(keepingCapacity: true)
                searched = 0
            }
            if ended {
                defer { buffer = [] }
                return cut ?? (buffer.isEmpty ? nil : buffer)
            }
            fill()
        }
    }

    private mutating func fill() {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count > 0 {
            buffer += chunk[..<count]
        } else if count == 0 || errno != EINTR {
            ended = true
        }
    }
}

/// An argument that may be long: its text, or with `-` the first line of standard input.
func textArgument(_ text: String) throws(Failure) -> String {
    guard text == "-" else { return text }
    var lines = StandardInputLines(limit: 65_536)
    guard let line = lines.next(), let read = String(validating: line, as: UTF8.self) else {
        throw Failure(.badData, "standard input holds no text")
    }
    let trimmed = String(read.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    guard !trimmed.isEmpty else { throw Failure(.badData, "the first line of standard input is empty") }
    return trimmed
}

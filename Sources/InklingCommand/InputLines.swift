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
    // Where the part of the buffer begins that was not handed on.
    private var start = 0
    private var ended = false
    /// How many bytes were read so far.
    private(set) var byteCount = 0

    /// The lines of standard input. Lines longer than `limit` bytes are cut off at `limit` + 1 bytes, so that the reader
    /// can refuse them.
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

/// An argument that may be long: its text, or with `-` the first line of standard input.
func textArgument(_ text: String) throws(Failure) -> String {
    guard text == "-" else { return text }
    var lines = InputLines(limit: 65_536)
    guard let line = lines.next(), let read = String(validating: line, as: UTF8.self) else {
        throw Failure(.badData, "standard input holds no text")
    }
    let trimmed = String(read.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    guard !trimmed.isEmpty else { throw Failure(.badData, "the first line of standard input is empty") }
    return trimmed
}

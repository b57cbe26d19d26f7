#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Writes text to standard output at once; ends quietly when nobody reads any more.
func write(_ text: String) { write(text, to: STDOUT_FILENO) }

/// Writes text to standard error at once.
func writeError(_ text: String) { write(text, to: STDERR_FILENO) }

/// Whether a person is looking at this stream.
func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

private func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if errno != EINTR {
            return
        }
    }
}

/// The next line of standard input without its line feed, or nil at the end.
struct StandardInputLines: Sequence, IteratorProtocol {
    private let limit: Int
    private var buffer: [UInt8] = []
    private var ended = false

    /// Lines longer than `limit` bytes are cut off at `limit` + 1 bytes, so that the reader can refuse them.
    init(limit: Int) { self.limit = limit }

    mutating func next() -> [UInt8]? {
        var searched = 0
        var line: [UInt8]?
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0a) {
                let content = line ?? Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                return content
            }
            searched = buffer.count
            if buffer.count > limit {
                // Keep only as much as proves the line too long, and skip the rest of it.
                line = line ?? Array(buffer.prefix(limit + 1))
                buffer.removeAll(keepingCapacity: true)
                searched = 0
            }
            if ended {
                if let line { return line }
                if buffer.isEmpty { return nil }
                defer { buffer = [] }
                return buffer
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

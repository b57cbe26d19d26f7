#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The lines of standard input or of a file, without their line feeds.
package struct InputLines: Sequence, IteratorProtocol {
    private let descriptor: Int32
    private let limit: Int
    private var buffer: [UInt8] = []
    // The start of the bytes that have not been returned.
    private var start = 0
    private var ended = false
    package private(set) var byteCount = 0

    /// Creates a reader of standard input. It truncates a line of more than `limit` bytes to `limit` + 1 bytes, so that
    /// its caller can reject the line.
    package init(limit: Int) { self.init(descriptor: STDIN_FILENO, limit: limit) }

    /// Creates a reader of a descriptor, which it does not close.
    package init(descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Returns whether the first bytes fit, without consuming them. There are at least eight unless the input is
    /// shorter.
    package mutating func begins(_ fits: ([UInt8]) -> Bool) -> Bool {
        while buffer.count < 8, !ended { fill() }
        return fits(buffer)
    }

    /// Returns the next bytes, regardless of lines; nil at the end.
    package mutating func nextBytes() -> [UInt8]? {
        if start == buffer.count, !ended {
            buffer.removeAll(keepingCapacity: true)
            start = 0
            while buffer.isEmpty, !ended { fill() }
        }
        defer { start = buffer.count }
        return start < buffer.count ? Array(buffer[start...]) : nil
    }

    package mutating func next() -> [UInt8]? {
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

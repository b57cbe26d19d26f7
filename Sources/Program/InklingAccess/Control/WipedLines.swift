package import InklingKeys

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A buffer that splits received bytes into lines, in memory that is wiped, because a line can be an invitation.
package struct WipedLines: ~Copyable {
    /// The number of bytes read at once.
    private static let chunk = 4096

    private var memory = SecretBytes(count: Self.chunk) { _ in }
    // The range of the bytes that have arrived but not been returned.
    private var start = 0
    private var end = 0

    package init() {}

    /// The number of bytes that have arrived but not been returned.
    package var byteCount: Int { end - start }

    /// Appends received bytes. The caller still owns its buffer and must wipe it.
    package mutating func append(_ bytes: Span<UInt8>) {
        makeRoom(for: bytes.count)
        let end = end
        memory.withMutableBytes { memory in
            for index in bytes.indices { memory[end + index] = bytes[index] }
        }
        self.end += bytes.count
    }

    /// Reads from a descriptor, and returns the result of `read`.
    package mutating func read(from descriptor: Int32) -> Int {
        makeRoom(for: Self.chunk)
        let end = end
        let count = memory.withMutableBytes { memory in
            unsafe memory.withPointer { start in
                unsafe Glibc.read(descriptor, start.advanced(by: end), Self.chunk)
            }
        }
        self.end += max(count, 0)
        return count
    }

    /// Returns the next line, without its line feed; nil if it is incomplete.
    package mutating func next() -> SecretBytes? {
        let (start, end) = (start, end)
        let length = memory.withBytes { bytes in (start..<end).first { bytes[$0] == 0x0a } }
        return length.map { take($0 - start, andSkip: 1) }
    }

    /// Returns the bytes after the last line; nil if there are none.
    package mutating func rest() -> SecretBytes? { byteCount == 0 ? nil : take(byteCount, andSkip: 0) }

    /// Discards the bytes after the last line.
    package mutating func drop() { _ = rest() }

    private mutating func take(_ count: Int, andSkip skipped: Int) -> SecretBytes {
        let start = start
        let line = memory.withBytes { SecretBytes(copying: $0.extracting(start..<start + count)) }
        memory.withMutableBytes { memory in
            for index in start..<start + count { memory[index] = 0 }
        }
        self.start += count + skipped
        return line
    }

    private mutating func makeRoom(for count: Int) {
        guard end + count > memory.count else { return }
        let (start, kept) = (start, byteCount)
        let size = max(Self.chunk, 2 * (kept + count))
        memory = memory.withBytes { old in
            SecretBytes(count: size) { view in
                for index in 0..<kept { view[index] = old[start + index] }
            }
        }
        (self.start, end) = (0, kept)
    }
}

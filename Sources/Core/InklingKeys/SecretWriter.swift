/// A growing message that contains secrets. Its memory is wiped when it is outgrown or released.
package struct SecretWriter: ByteSink, ~Copyable {
    private var storage: SecretBytes
    /// The number of bytes written.
    package private(set) var count = 0

    /// Creates an empty writer with room for `capacity` bytes; it grows as needed.
    package init(capacity: Int = 256) {
        storage = SecretBytes(count: max(capacity, 1)) { _ in }
    }

    package mutating func append(_ bytes: Span<UInt8>) {
        let needed = count + bytes.count
        if needed > storage.count { grow(to: max(needed, 2 * storage.count)) }
        let start = count
        storage.withMutableBytes { $0.copy(bytes, at: start) }
        count = needed
    }

    /// Calls `body` with the bytes written so far, which are valid only during the call.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let count = count
        return try storage.withBytes { bytes throws(Failure) in try body(bytes.extracting(first: count)) }
    }

    /// Returns the bytes written, in memory of exactly their size.
    package consuming func finish() -> SecretBytes {
        withBytes { SecretBytes(copying: $0) }
    }

    private mutating func grow(to capacity: Int) {
        let written = count
        storage = storage.withBytes { old in
            SecretBytes(count: capacity) { $0.copy(old.extracting(first: written), at: 0) }
        }
    }
}

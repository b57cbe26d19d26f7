internal import CSecretMemory
internal import CSodium

/// Key material that has exactly one owner and is wiped when the owner releases it.
///
/// The type is `~Copyable`, so a secret can be moved and borrowed, but not duplicated by accident, printed,
/// interpolated or stored in an existential. To keep one in a collection, wrap it in a `SecretBox`.
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {
    // Sendable because the storage has exactly one owner, and writing to it requires exclusive access to that owner.
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Creates a copy of `bytes`. The caller still owns its buffer and must wipe it.
    public init(copying bytes: Span<UInt8>) {
        unsafe storage = Self.allocate(bytes.count)
        unsafe bytes.withUnsafeBufferPointer { _ = unsafe storage.initialize(from: $0) }
    }

    /// Creates `count` zero bytes and calls `fill` to write them in place, so that no second copy exists.
    ///
    /// - Throws: the error of `fill`; the bytes are wiped first.
    public init<Failure: Error>(
        count: Int,
        fillingWith fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let buffer = unsafe Self.allocate(count)
        unsafe buffer.initialize(repeating: 0)
        var view = unsafe MutableSpan(_unsafeElements: buffer)
        do throws(Failure) {
            try fill(&view)
        } catch {
            // No owner exists yet, so the deinitialiser will not run: wipe the partly written bytes here.
            unsafe Self.wipeAndRelease(buffer)
            throw error
        }
        unsafe storage = buffer
    }

    /// Creates `count` random bytes from `generator`: one for each number that it draws, except that every byte of a number
    /// from the system is used.
    public init(count: Int, from generator: inout some RandomNumberGenerator) {
        // A number from the system is a system call, which costs as much as hashing a block.
        let bytesPerDraw = generator is SystemRandomNumberGenerator ? 8 : 1
        self.init(count: count) { view in
            for start in stride(from: 0, to: count, by: bytesPerDraw) {
                var draw: UInt64 = generator.next()
                for index in start..<min(start + bytesPerDraw, count) {
                    view[index] = UInt8(truncatingIfNeeded: draw)
                    draw >>= 8
                }
            }
        }
    }

    deinit { unsafe Self.wipeAndRelease(storage) }

    // The memory is locked in a process that has asked for that.
    private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let memory = unsafe secret_memory_allocate(count, 1)
        return unsafe UnsafeMutableBufferPointer(
            start: memory.bindMemory(to: UInt8.self, capacity: count), count: count)
    }

    private static func wipeAndRelease(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        guard let start = buffer.baseAddress else { return }
        // sodium_memzero, because the optimiser may drop a plain store to memory about to be freed.
        unsafe sodium_memzero(start, buffer.count)
        unsafe secret_memory_release(start, buffer.count)
    }

    /// The number of bytes.
    public var count: Int { unsafe storage.count }

    /// Calls `body` with the bytes, which are valid only during the call.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let view = unsafe Span(_unsafeElements: UnsafeBufferPointer(storage))
        return try body(view)
    }

    /// Calls `body` with the bytes for writing, to erase or advance a key in place.
    public mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var view = unsafe MutableSpan(_unsafeElements: storage)
        return try body(&view)
    }

    /// Returns a copy of the bytes, for the few places where a secret needs two owners.
    public borrowing func duplicate() -> SecretBytes {
        withBytes { SecretBytes(copying: $0) }
    }

    /// Returns whether `other` holds the same bytes, in a time that depends only on the lengths, which are not secret.
    public borrowing func equals(_ other: borrowing SecretBytes) -> Bool {
        withBytes { mine in other.withBytes { theirs in constantTimeEquals(mine, theirs) } }
    }
}

/// Returns whether two byte strings are equal, in a time that depends only on their lengths.
package func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    if left.isEmpty { return true }
    return unsafe left.withPointer { start in
        unsafe right.withPointer { unsafe sodium_memcmp(start, $0, left.count) == 0 }
    }
}

internal import CSodium

/// Key material that exists in one place and is wiped when its owner lets go.
///
/// The type is `~Copyable`, so a secret can be moved and lent but never duplicated by accident, printed,
/// interpolated or stored in an existential. Put it in a `final class` where a collection must hold it.
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {
    // Sendable because the storage has exactly one owner, and `withBytes` lends it read-only.
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Copies `bytes`; the caller still owns, and must wipe, its own buffer.
    public init(copying bytes: Span<UInt8>) {
        unsafe storage = .allocate(capacity: bytes.count)
        unsafe bytes.withUnsafeBufferPointer { _ = unsafe storage.initialize(from: $0) }
    }

    /// Allocates `count` zero bytes and lets `fill` write them in place, so that no second copy is ever made.
    public init<Failure: Error>(
        count: Int,
        fillingWith fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        unsafe buffer.initialize(repeating: 0)
        var view = unsafe MutableSpan(_unsafeElements: buffer)
        do throws(Failure) {
            try fill(&view)
        } catch {
            // No owner exists yet, so the deinitialiser will not run: wipe what was half written here.
            if let start = buffer.baseAddress { unsafe sodium_memzero(start, count) }
            unsafe buffer.deallocate()
            throw error
        }
        unsafe storage = buffer
    }

    /// Draws `count` bytes from `generator`.
    public init(count: Int, from generator: inout some RandomNumberGenerator) {
        self.init(count: count) { view in
            for index in view.indices { view[index] = generator.next() }
        }
    }

    deinit {
        if let start = unsafe storage.baseAddress {
            // sodium_memzero, because the optimiser may drop a plain store to memory about to be freed.
            unsafe sodium_memzero(start, storage.count)
        }
        unsafe storage.deallocate()
    }

    /// The number of bytes held.
    public var count: Int { unsafe storage.count }

    /// Lends the bytes for the length of `body`.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let view = unsafe Span(_unsafeElements: UnsafeBufferPointer(storage))
        return try body(view)
    }

    /// Lends the bytes for writing for the length of `body`; for erasing or advancing a key in place.
    public mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var view = unsafe MutableSpan(_unsafeElements: storage)
        return try body(&view)
    }

    /// A second owner with the same bytes, for the few places where two owners are the point.
    public borrowing func duplicate() -> SecretBytes {
        withBytes { SecretBytes(copying: $0) }
    }

    /// Compares with `other` in constant time; lengths are public and may differ.
    public borrowing func equals(_ other: borrowing SecretBytes) -> Bool {
        withBytes { mine in other.withBytes { theirs in constantTimeEquals(mine, theirs) } }
    }
}

/// Compares two byte strings in a time that depends only on their lengths.
package func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    if left.isEmpty { return true }
    return unsafe left.withPointer { start in
        unsafe right.withPointer { unsafe sodium_memcmp(start, $0, left.count) == 0 }
    }
}

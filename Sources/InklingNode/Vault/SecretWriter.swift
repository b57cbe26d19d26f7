internal import InklingKeys

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Collects secrets into one growing secret: a buffer that became too small is wiped, not just freed.
struct SecretWriter: ByteSink, ~Copyable {
    private var storage: SecretBytes
    private(set) var count = 0

    init(capacity: Int = 4096) {
        storage = SecretBytes(count: max(capacity, 64)) { _ in }
    }

    mutating func append(_ bytes: Span<UInt8>) {
        if storage.count - count < bytes.count { grow(toFit: count + bytes.count) }
        let start = count
        storage.withMutableBytes { view in
            unsafe view.withUnsafeMutableBytes { target in
                unsafe bytes.withUnsafeBytes { source in
                    guard let from = source.baseAddress, let to = target.baseAddress else { return }
                    // The room was made above; one call, because vaults are large and written often.
                    unsafe _ = memcpy(to.advanced(by: start), from, source.count)
                }
            }
        }
        count += bytes.count
    }

    /// Lends what was written so far.
    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes { view throws(Failure) in try body(view.extracting(0..<count)) }
    }

    private mutating func grow(toFit needed: Int) {
        var grown = SecretWriter(capacity: max(needed, 2 * storage.count))
        withBytes { grown.append($0) }
        self = grown
    }
}

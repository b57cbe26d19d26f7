internal import CSHA256Lanes

/// The length in bytes of SHA-256 and HMAC-SHA256 outputs, and of every key in the hierarchy.
package let keyByteCount = 32

/// The input of a running HMAC-SHA256 or SHA-256 computation, passed to the closure that writes the message.
@safe
package struct HashInput: ByteSink, ~Copyable {
    // Points to the state on the stack of the function that passes this value to a closure and outlives it.
    private let state: UnsafeMutablePointer<sha256_one_state>

    fileprivate init(_ state: UnsafeMutablePointer<sha256_one_state>) { unsafe self.state = state }

    package mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withPointer { unsafe sha256_one_append(state, $0, bytes.count) }
    }
}

/// Computes the HMAC-SHA256 (RFC 2104) of the message that `message` appends, and writes it to `output`.
///
/// The key can have any length. Callers pass an `output` of 32 bytes; a shorter one receives the first bytes.
package func hmacSHA256(
    key: Span<UInt8>,
    into output: inout MutableSpan<UInt8>,
    by path: HashPath = .best,
    message: (inout HashInput) -> Void
) {
    var state = sha256_one_state()
    unsafe withUnsafeMutablePointer(to: &state) { state in
        unsafe key.withPointer { unsafe sha256_one_start_mac(state, path.code, $0, key.count) }
        var input = unsafe HashInput(state)
        message(&input)
        let count = output.count
        // The midstates are as secret as the key; this wipes them.
        unsafe output.withPointer { unsafe sha256_one_finish(state, $0, count) }
    }
}

/// Returns the HMAC-SHA256 of the message that `message` appends, as a secret of 32 bytes.
package func hmacSHA256(
    key: Span<UInt8>, by path: HashPath = .best, message: (inout HashInput) -> Void
) -> SecretBytes {
    SecretBytes(count: keyByteCount) { hmacSHA256(key: key, into: &$0, by: path, message: message) }
}

/// Returns the first sixteen bytes of the HMAC-SHA256 of the message that `message` appends, for identifiers, which are
/// public.
func hmacSHA256Prefix(key: Span<UInt8>, message: (inout HashInput) -> Void) -> Octets16 {
    var state = sha256_one_state()
    // In big-endian order, like the bytes.
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    unsafe withUnsafeMutablePointer(to: &state) { state in
        unsafe key.withPointer { unsafe sha256_one_start_mac(state, HashPath.best.code, $0, key.count) }
        var input = unsafe HashInput(state)
        message(&input)
        unsafe withUnsafeMutableBytes(of: &halves) { halves in
            guard let start = halves.baseAddress else { return }
            unsafe sha256_one_finish(state, start.assumingMemoryBound(to: UInt8.self), halves.count)
        }
    }
    return Octets16(high: UInt64(bigEndian: halves.high), low: UInt64(bigEndian: halves.low))
}

/// Replaces a key with the HMAC-SHA256 of the message that `message` appends, so that no second key exists.
func hmacSHA256(replacing key: inout MutableSpan<UInt8>, message: (inout HashInput) -> Void) {
    var state = sha256_one_state()
    unsafe withUnsafeMutablePointer(to: &state) { state in
        let count = key.count
        unsafe key.withPointer { unsafe sha256_one_start_mac(state, HashPath.best.code, $0, count) }
        var input = unsafe HashInput(state)
        message(&input)
        unsafe key.withPointer { unsafe sha256_one_finish(state, $0, count) }
    }
}

/// Returns the SHA-256 (FIPS 180-4) of the message that `message` appends.
package func sha256(by path: HashPath = .best, message: (inout HashInput) -> Void) -> Octets32 {
    var state = sha256_one_state()
    var digest = InlineArray<32, UInt8>(repeating: 0)
    var digestView = digest.mutableSpan
    unsafe withUnsafeMutablePointer(to: &state) { state in
        unsafe sha256_one_start(state, path.code)
        var input = unsafe HashInput(state)
        message(&input)
        unsafe digestView.withPointer { unsafe sha256_one_finish(state, $0, keyByteCount) }
    }
    return Octets32(digest)
}

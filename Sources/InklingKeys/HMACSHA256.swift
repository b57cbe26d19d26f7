internal import CSodium

/// The length in bytes of SHA-256 and HMAC-SHA256 outputs, and of every key in the hierarchy.
package let keyByteCount = 32

/// The input of a running HMAC-SHA256 or SHA-256 computation, passed to the closure that writes the message.
@safe
package struct HashInput: ByteSink, ~Copyable {
    // Points to the state on the stack of the function that passes this value to a closure and outlives it.
    @safe fileprivate enum State {
        case hmac(UnsafeMutablePointer<crypto_auth_hmacsha256_state>)
        case sha256(UnsafeMutablePointer<crypto_hash_sha256_state>)
    }

    fileprivate let state: State

    fileprivate init(_ state: State) { self.state = state }

    package mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            switch state {
            case .hmac(let state):
                _ = unsafe crypto_auth_hmacsha256_update(state, bytes.baseAddress, UInt64(bytes.count))
            case .sha256(let state):
                _ = unsafe crypto_hash_sha256_update(state, bytes.baseAddress, UInt64(bytes.count))
            }
        }
    }
}

/// Computes the HMAC-SHA256 (RFC 2104) of the message that `message` appends, and writes it to `output`.
///
/// The key can have any length. Callers pass an `output` of 32 bytes; a shorter one receives the first bytes.
package func hmacSHA256(
    key: Span<UInt8>,
    into output: inout MutableSpan<UInt8>,
    message: (inout HashInput) -> Void
) {
    sodiumIsReady()
    var state = crypto_auth_hmacsha256_state()
    var code = InlineArray<32, UInt8>(repeating: 0)
    var codeView = code.mutableSpan
    unsafe withUnsafeMutablePointer(to: &state) { state in
        unsafe key.withPointer { _ = unsafe crypto_auth_hmacsha256_init(state, $0, key.count) }
        var input = unsafe HashInput(.hmac(state))
        message(&input)
        unsafe codeView.withPointer { _ = unsafe crypto_auth_hmacsha256_final(state, $0) }
        // The midstates are as secret as the key.
        unsafe sodium_memzero(state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
    }
    for index in 0..<min(output.count, 32) { output[index] = code[index] }
    wipe(&code)
}

/// Returns the HMAC-SHA256 of the message that `message` appends, as a secret of 32 bytes.
package func hmacSHA256(key: Span<UInt8>, message: (inout HashInput) -> Void) -> SecretBytes {
    SecretBytes(count: keyByteCount) { hmacSHA256(key: key, into: &$0, message: message) }
}

/// Returns the SHA-256 (FIPS 180-4) of the message that `message` appends.
package func sha256(message: (inout HashInput) -> Void) -> Octets32 {
    sodiumIsReady()
    var state = crypto_hash_sha256_state()
    var digest = InlineArray<32, UInt8>(repeating: 0)
    var digestView = digest.mutableSpan
    unsafe withUnsafeMutablePointer(to: &state) { state in
        _ = unsafe crypto_hash_sha256_init(state)
        var input = unsafe HashInput(.sha256(state))
        message(&input)
        unsafe digestView.withPointer { _ = unsafe crypto_hash_sha256_final(state, $0) }
    }
    return Octets32(digest)
}

/// Initialises libsodium, which selects its implementations for this processor; cheap after the first call.
@inline(__always)
package func sodiumIsReady() { _ = sodiumInitialised }

private let sodiumInitialised: Bool = {
    let result = sodium_init()
    // The call fails only if the system has no source of randomness, and then no operation here is safe.
    precondition(result >= 0, "libsodium could not be initialised: no system randomness")
    return true
}()

/// Fills a stack buffer that held a secret with zeros.
package func wipe<let count: Int>(_ bytes: inout InlineArray<count, UInt8>) {
    var view = bytes.mutableSpan
    unsafe view.withUnsafeMutableBufferPointer { bytes in
        if let start = bytes.baseAddress { unsafe sodium_memzero(start, bytes.count) }
    }
}

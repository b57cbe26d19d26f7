internal import CSHA256Lanes

/// A SHA-256 (FIPS 180-4) of a message that arrives in pieces. Not for secrets: the state is not wiped.
package struct RunningSHA256: Sendable {
    private var state = sha256_one_state()

    /// Creates the state of a message without bytes.
    package init(by path: HashPath = .best) {
        unsafe withUnsafeMutablePointer(to: &state) { unsafe sha256_one_start($0, path.code) }
    }

    /// Appends the next bytes of the message.
    package mutating func append(_ bytes: Span<UInt8>) {
        unsafe withUnsafeMutablePointer(to: &state) { state in
            unsafe bytes.withPointer { unsafe sha256_one_append(state, $0, bytes.count) }
        }
    }

    /// Returns the digest of the bytes appended so far; more can be appended.
    package func digest() -> Octets32 {
        var copy = state
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var view = digest.mutableSpan
        unsafe withUnsafeMutablePointer(to: &copy) { state in
            unsafe view.withPointer { unsafe sha256_one_finish(state, $0, keyByteCount) }
        }
        return Octets32(digest)
    }
}

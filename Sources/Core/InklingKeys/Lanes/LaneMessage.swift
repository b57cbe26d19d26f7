internal import CSHA256Lanes

/// A short message whose HMAC is computed under many keys. The work that is the same for all keys is done once.
package struct LaneMessage: Sendable {
    /// The maximum length of a message in bytes: with its padding, it fills one block of SHA-256.
    package static let longest = Int(SHA256_LANES_LONGEST)

    private let message: sha256_lanes_message

    /// Creates the message that `write` appends; returns nil if it is longer than `longest`.
    package init?(_ write: (inout [UInt8]) -> Void) {
        var bytes: [UInt8] = []
        write(&bytes)
        var message = sha256_lanes_message()
        let count = bytes.count
        guard unsafe bytes.span.withPointer({ unsafe sha256_lanes_prepare($0, count, &message) }) else { return nil }
        self.message = message
    }

    func withMessage<Result>(_ body: (UnsafePointer<sha256_lanes_message>) -> Result) -> Result {
        unsafe withUnsafePointer(to: message) { unsafe body($0) }
    }
}

internal import CSHA256Lanes

/// An implementation of SHA-256 for one key at a time. All implementations return the same results.
package enum HashPath: CaseIterable, Sendable {
    /// Instructions that every processor has.
    case portable
    /// The SHA instructions of x86 or of ARMv8.
    case instructions

    /// Whether this processor has the instructions that the implementation needs.
    package var isAvailable: Bool { sha256_one_has(code) }

    /// The faster implementation on this processor, which was measured when it was first needed.
    package static var best: HashPath { sha256_one_best() == SHA256_ONE_PORTABLE ? .portable : .instructions }

    var code: sha256_one_path {
        switch self {
        case .portable: SHA256_ONE_PORTABLE
        case .instructions: SHA256_ONE_INSTRUCTIONS
        }
    }
}

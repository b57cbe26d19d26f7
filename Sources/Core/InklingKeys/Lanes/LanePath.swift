internal import CSHA256Lanes

/// An implementation of HMAC-SHA256 in parallel lanes. All implementations return the same results.
package enum LanePath: CaseIterable, Sendable {
    /// Vectors of 4 lanes; available on every processor.
    case portable
    /// Vectors of 8 lanes.
    case avx2
    /// The SHA instructions of x86, with 4 lanes interleaved.
    case shaNI
    /// Vectors of 16 lanes.
    case avx512
    /// The SHA instructions of x86, and vectors of 16 lanes for the schedules of the blocks.
    case shaNIWithAVX512
    /// The SHA instructions of ARMv8, with 4 lanes interleaved.
    case armv8

    /// Whether this processor has the instructions that the implementation needs.
    package var isAvailable: Bool { sha256_lanes_has(code) }

    /// The fastest implementation on this processor, which was measured when it was first needed.
    package static let best = allCases.first { $0.code == sha256_lanes_best() } ?? .portable

    var code: sha256_lanes_path {
        switch self {
        case .portable: SHA256_LANES_PORTABLE
        case .avx2: SHA256_LANES_AVX2
        case .shaNI: SHA256_LANES_SHA_NI
        case .avx512: SHA256_LANES_AVX512
        case .shaNIWithAVX512: SHA256_LANES_SHA_AVX512
        case .armv8: SHA256_LANES_ARMV8
        }
    }
}

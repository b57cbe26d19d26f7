internal import CSHA256Lanes

/// A way to compute HMAC-SHA256 under many keys side by side; all have the same results.
package enum LanePath: CaseIterable, Sendable {
    /// Vectors of 4 lanes, which every processor has.
    case portable
    /// Vectors of 8 lanes.
    case avx2
    /// The SHA instructions of x86, on 4 lanes in turn.
    case shaNI
    /// Vectors of 16 lanes.
    case avx512

    /// Whether this processor has the instructions.
    package var isAvailable: Bool { sha256_lanes_has(code) }

    /// The fastest way on this processor.
    package static let best = allCases.first { $0.code == sha256_lanes_best() } ?? .portable

    var code: sha256_lanes_path {
        switch self {
        case .portable: SHA256_LANES_PORTABLE
        case .avx2: SHA256_LANES_AVX2
        case .shaNI: SHA256_LANES_SHA_NI
        case .avx512: SHA256_LANES_AVX512
        }
    }
}

internal import InklingNode

/// Why the bytes of an ESPHome device are refused.
enum ESPHomeError: Error, Hashable, Sendable {
    /// A frame or a message is not what the protocol allows.
    case badMessage
    /// The device speaks without encryption, or demands it, against what was expected.
    case onlyPlaintext, needsKey
    /// The device does not accept the key, or does not have it.
    case wrongKey

    /// The error of the antenna.
    var ofAntenna: AntennaError {
        switch self {
        case .badMessage: .badMessage
        case .onlyPlaintext: .onlyPlaintext
        case .needsKey: .needsKey
        case .wrongKey: .wrongKey
        }
    }
}

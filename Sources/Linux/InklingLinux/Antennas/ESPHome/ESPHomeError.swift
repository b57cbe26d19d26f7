internal import InklingNode

/// A reason for rejecting the bytes of an ESPHome device.
enum ESPHomeError: Error, Hashable, Sendable {
    /// A frame or a message violates the protocol.
    case badMessage
    /// The device is unencrypted, or requires encryption, contrary to the settings.
    case onlyPlaintext, needsKey
    /// The device rejects the key or does not have it.
    case wrongKey

    /// The corresponding error of the antenna.
    var ofAntenna: AntennaError {
        switch self {
        case .badMessage: .badMessage
        case .onlyPlaintext: .onlyPlaintext
        case .needsKey: .needsKey
        case .wrongKey: .wrongKey
        }
    }
}

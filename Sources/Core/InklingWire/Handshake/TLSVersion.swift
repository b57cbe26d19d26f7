internal import InklingKeys

/// A version of TLS; a session has a pre-shared key for each (`Specs/apple.md`).
///
/// The raw value is the version on the wire, which is also the argument of
/// `sec_protocol_options_set_min_tls_protocol_version` and of the function for the maximum.
public enum TLSVersion: UInt16, Hashable, Sendable, CaseIterable {
    /// TLS 1.2 with the key alone, which Apple's Network framework accepts.
    case tls12 = 0x0303
    /// TLS 1.3 with the key, as an external one with SHA-256, and an ephemeral exchange (`psk_dhe_ke`).
    case tls13 = 0x0304

    /// The only suite, for `sec_protocol_options_append_tls_ciphersuite`: TLS_PSK_WITH_AES_128_GCM_SHA256 of RFC 5487,
    /// and TLS_AES_128_GCM_SHA256 of RFC 8446.
    public var cipherSuite: UInt16 {
        switch self {
        case .tls12: 0x00a8
        case .tls13: 0x1301
        }
    }

    var keyLabel: StaticString {
        switch self {
        case .tls12: DerivationLabel.tls12PSK
        case .tls13: DerivationLabel.tls13PSK
        }
    }

    var identityLabel: StaticString {
        switch self {
        case .tls12: DerivationLabel.tls12PSKIdentity
        case .tls13: DerivationLabel.tls13PSKIdentity
        }
    }
}

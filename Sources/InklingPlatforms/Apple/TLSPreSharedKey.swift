public import InklingKeys
public import InklingSession

/// The pre-shared key of one TLS connection between the two sides of a confirmed session, for Apple's Network framework
/// (`Specs/apple.md`).
///
/// `EstablishedSession.takeTLSKey` derives it, and `use` wipes it.
public struct TLSPreSharedKey: ~Copyable, Sendable {
    /// The suite for `sec_protocol_options_append_tls_ciphersuite`: TLS_PSK_WITH_AES_128_GCM_SHA256 of RFC 5487.
    public static let cipherSuite: UInt16 = 0x00a8
    /// The argument of `sec_protocol_options_set_min_tls_protocol_version` and of the function for the maximum: TLS
    /// 1.2, the only version that has the suite.
    public static let protocolVersion: UInt16 = 0x0303

    /// The transport over which the connection must run: TCP or Wi-Fi Aware.
    public let transport: Transport
    /// The last epoch in which a connection with this key may begin: the one after the handshake's.
    public let lastEpoch: Epoch

    private let key: SecretBytes
    private let identity: Octets16

    /// Creates the key for a transport; nil for GATT, which carries no TLS.
    package init?(exporter: borrowing Exporter, transport: Transport, handshake epoch: Epoch) {
        guard transport != .gatt else { return nil }
        self.transport = transport
        lastEpoch = epoch.next ?? epoch
        key = exporter.tlsKey(for: transport)
        identity = exporter.tlsIdentity(for: transport)
    }

    /// Passes both arguments of `sec_protocol_options_add_pre_shared_key` to `body`, then wipes the key: `key`, 32
    /// bytes, is the `psk`, and `identity`, 32 lower-case hexadecimal digits in ASCII, is the `psk_identity`.
    ///
    /// - Throws: `TLSKeyError.expired` after `lastEpoch`.
    public consuming func use<Result>(
        in now: Epoch, _ body: (_ key: Span<UInt8>, _ identity: Span<UInt8>) -> Result
    ) throws(TLSKeyError) -> Result {
        guard now <= lastEpoch else { throw .expired(last: lastEpoch, now: now) }
        let identity = Array(identity.description.utf8)
        return key.withBytes { body($0, identity.span) }
    }
}

/// Why a TLS key cannot be derived or used.
///
/// `stage` and `reason` are the codes of `Specs/apple.md`.
public enum TLSKeyError: Refusal, Hashable {
    /// The session has ended.
    case ended
    /// GATT carries no TLS.
    case noTLS
    /// The key for this transport was taken before.
    case taken(Transport)
    /// The key was valid up to the epoch `last`.
    case expired(last: Epoch, now: Epoch)

    public var stage: String { "tls" }

    public var reason: String {
        switch self {
        case .ended: "ended"
        case .noTLS: "no-tls"
        case .taken: "taken"
        case .expired: "expired"
        }
    }
}

extension EstablishedSession {
    /// Derives the key for one TLS connection over `transport`. This works once for each transport.
    ///
    /// - Parameters:
    ///   - transport: TCP or Wi-Fi Aware.
    ///   - epoch: the epoch in the prologue of the handshake, or for a first contact the epoch in which it ended.
    /// - Returns: the key, which serves one connection.
    /// - Throws: `TLSKeyError.ended` after the end of the session, `.noTLS` for GATT, `.taken` the second time.
    public mutating func takeTLSKey(
        for transport: Transport, handshake epoch: Epoch
    ) throws(TLSKeyError) -> TLSPreSharedKey {
        guard !isEnded else { throw .ended }
        guard !takenTLSKeys.contains(transport) else { throw .taken(transport) }
        guard let key = TLSPreSharedKey(exporter: exporter, transport: transport, handshake: epoch) else {
            throw .noTLS
        }
        takenTLSKeys.insert(transport)
        return key
    }
}

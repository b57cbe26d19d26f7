public import InklingKeys
public import InklingSession

/// The key of one TLS connection beside a confirmed session, for Apple's Network framework (`Specs/apple.md`).
///
/// `EstablishedSession.takeTLSKey` takes it out of a session, and `use` wipes it.
public struct TLSPreSharedKey: ~Copyable, Sendable {
    /// The suite for `sec_protocol_options_append_tls_ciphersuite`: TLS_PSK_WITH_AES_128_GCM_SHA256 of RFC 5487.
    public static let cipherSuite: UInt16 = 0x00a8
    /// The version for `sec_protocol_options_set_min_tls_protocol_version` and the one for the highest: TLS 1.2, the
    /// only one that has the suite.
    public static let protocolVersion: UInt16 = 0x0303

    /// The transport that the connection must run over: TCP or Wi-Fi Aware.
    public let transport: Transport
    /// The last epoch in which a connection may begin with it: the one after the handshake's.
    public let lastEpoch: Epoch

    private let key: SecretBytes
    private let identity: Octets16

    /// Creates the key for a transport; returns nil for GATT, over which there is no TLS.
    package init?(exporter: borrowing Exporter, transport: Transport, handshake epoch: Epoch) {
        guard transport != .gatt else { return nil }
        self.transport = transport
        lastEpoch = epoch.next ?? epoch
        key = exporter.tlsKey(for: transport)
        identity = exporter.tlsIdentity(for: transport)
    }

    /// Lends both arguments of `sec_protocol_options_add_pre_shared_key`: `key`, 32 bytes, is its `psk`, and
    /// `identity`, 32 lowercase hexadecimal digits in ASCII, its `psk_identity`. Afterwards the key is wiped.
    ///
    /// - Throws: `TLSKeyError.expired` when the epoch is over in which the connection could have been begun.
    public consuming func use<Result>(
        in now: Epoch, _ body: (_ key: Span<UInt8>, _ identity: Span<UInt8>) -> Result
    ) throws(TLSKeyError) -> Result {
        guard now <= lastEpoch else { throw .expired(last: lastEpoch, now: now) }
        let identity = Array(identity.description.utf8)
        return key.withBytes { body($0, identity.span) }
    }
}

/// The reason why there is no TLS key.
///
/// `stage` and `reason` are the codes of `Specs/apple.md`.
public enum TLSKeyError: Refusal, Hashable {
    /// The session has ended.
    case ended
    /// GATT carries no TLS.
    case noTLS
    /// The session gave the key for this transport before.
    case taken(Transport)
    /// The key was valid until the epoch `last`.
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
    /// Takes the key for one TLS connection over `transport`, which a session gives once.
    ///
    /// `epoch` is that of the handshake: the one in its prologue, or for a first contact the one in which it ended.
    ///
    /// - Throws: `TLSKeyError.ended`, `.noTLS` for GATT, `.taken` the second time.
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

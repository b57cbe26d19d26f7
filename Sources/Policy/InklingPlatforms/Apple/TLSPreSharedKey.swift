public import InklingKeys
public import InklingWire

/// The pre-shared key of one TLS connection between the two sides of a confirmed session, for Apple's Network framework
/// and for other libraries (`Specs/apple.md`).
///
/// `EstablishedSession.takeTLSKey` derives it, and `use` wipes it.
public struct TLSPreSharedKey: ~Copyable, Sendable {
    /// The only version that the connection may offer or accept; its `cipherSuite` is the only suite.
    public let version: TLSVersion
    /// The transport over which the connection must run: TCP or Wi-Fi Aware.
    public let transport: Transport
    /// The last epoch in which a connection with this key may begin: the one after the handshake's.
    public let lastEpoch: Epoch

    private let key: SecretBytes
    private let identity: Octets16

    /// Creates the key for a transport and a version; nil for GATT, which carries no TLS.
    package init?(exporter: borrowing Exporter, transport: Transport, version: TLSVersion, handshake epoch: Epoch) {
        guard transport != .gatt else { return nil }
        self.transport = transport
        self.version = version
        lastEpoch = epoch.next ?? epoch
        key = exporter.tlsKey(for: transport, version: version)
        identity = exporter.tlsIdentity(for: transport, version: version)
    }

    /// Passes both arguments of `sec_protocol_options_add_pre_shared_key` to `body`, then wipes the key: `key`, 32
    /// bytes, is the `psk`, and `identity`, 32 lower-case hexadecimal digits in ASCII, is the `psk_identity`.
    ///
    /// The copy that `body` gives to a library serves one connection, which has used it up when it has sent or received
    /// the identity, even if it then fails.
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

/// The reason a TLS key cannot be derived or used.
///
/// `stage` and `reason` are the codes of `Specs/apple.md`.
public enum TLSKeyError: Refusal, Hashable {
    /// The session has ended.
    case ended
    /// GATT carries no TLS.
    case noTLS
    /// The key for this transport and version was taken before.
    case taken(Transport, TLSVersion)
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
    /// Derives the key for one TLS connection over `transport`. This works once for each transport and version.
    ///
    /// - Parameters:
    ///   - transport: TCP or Wi-Fi Aware.
    ///   - version: TLS 1.2 unless both sides have agreed on TLS 1.3.
    ///   - epoch: the epoch in the prologue of the handshake, or for a first contact the epoch in which it ended.
    /// - Returns: the key, which serves one connection.
    /// - Throws: `TLSKeyError.ended` after the end of the session, `.noTLS` for GATT, `.taken` the second time.
    public mutating func takeTLSKey(
        for transport: Transport, version: TLSVersion = .tls12, handshake epoch: Epoch
    ) throws(TLSKeyError) -> TLSPreSharedKey {
        guard !isEnded else { throw .ended }
        guard takenTLSKeys[version]?.contains(transport) != true else { throw .taken(transport, version) }
        guard
            let key = TLSPreSharedKey(
                exporter: exporter, transport: transport, version: version, handshake: epoch)
        else { throw .noTLS }
        takenTLSKeys[version, default: []].insert(transport)
        return key
    }
}

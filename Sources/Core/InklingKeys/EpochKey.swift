/// A key of one device in one period, for the kind of identifier that `Use` stands for (`Specs/identifiers.md`).
///
/// An identifier is the HMAC-SHA256 of an ASCII label and the decimal number of the epoch, truncated to its length.
public struct EpochKey<Use>: ~Copyable, Sendable {
    private let secret: SecretBytes

    /// Creates a key from a secret: 32 bytes in the key hierarchy, any length in known-answer tests.
    public init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// Calls `body` with the bytes of the key, which are valid only during the call.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    fileprivate borrowing func identifier(_ label: StaticString, _ epoch: Epoch) -> Octets16 {
        secret.withBytes { key in
            hmacSHA256Prefix(key: key) { $0.append(identifier: label, epoch) }
        }
    }

    fileprivate borrowing func key(_ label: StaticString, _ epoch: Epoch) -> SecretBytes {
        secret.withBytes { key in
            hmacSHA256(key: key) { $0.append(identifier: label, epoch) }
        }
    }
}

/// The use of a key for names on the local network.
public enum MDNSUse {}
/// The use of a key for beacon minors.
public enum BeaconUse {}
/// The use of a key for recognition tags.
public enum GATTUse {}
/// The use of a key for the pre-shared keys and gate keys of the confirm handshake.
public enum ConfirmUse {}

extension EpochKey where Use == MDNSUse {
    /// Returns the service instance name of an epoch.
    public borrowing func serviceName(_ epoch: Epoch) -> OpaqueServiceName {
        OpaqueServiceName(identifier(DerivationLabel.serviceName, epoch))
    }

    /// Returns the host name of an epoch, without the domain.
    public borrowing func hostName(_ epoch: Epoch) -> OpaqueHostName {
        OpaqueHostName(identifier(DerivationLabel.hostName, epoch))
    }
}

extension EpochKey where Use == BeaconUse {
    /// Returns the minor of an epoch: the first two bytes, most significant first.
    public borrowing func minor(_ epoch: Epoch) -> BeaconMinor {
        BeaconMinor(UInt16(truncatingIfNeeded: identifier(DerivationLabel.beaconMinor, epoch).high >> 48))
    }
}

extension EpochKey where Use == GATTUse {
    /// Returns the tag of an epoch.
    public borrowing func tag(_ epoch: Epoch) -> RecognitionTag {
        RecognitionTag(identifier(DerivationLabel.recognitionTag, epoch))
    }
}

extension EpochKey where Use == ConfirmUse {
    /// Returns the first pre-shared key of the confirm handshake in an epoch, 32 bytes.
    public borrowing func preSharedKey(_ epoch: Epoch) -> SecretBytes { key(DerivationLabel.confirmPSK, epoch) }

    /// Returns the key of the gate before message 1 of the confirm handshake in an epoch, 32 bytes.
    public borrowing func gateKey(_ epoch: Epoch) -> SecretBytes { key(DerivationLabel.confirmGate, epoch) }
}

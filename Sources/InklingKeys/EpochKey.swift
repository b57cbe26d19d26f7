/// A key of one device and one period, for the one kind of identifier that `Use` names (`Specs/identifiers.md`).
///
/// Each identifier is HMAC-SHA256 under its own key of an ASCII label and the epoch's decimal number, cut to size.
public struct EpochKey<Use>: ~Copyable, Sendable {
    private let secret: SecretBytes

    /// Takes over the key; 32 bytes in the hierarchy, any length for known answers.
    public init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// Lends the key bytes.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    fileprivate borrowing func identifier(_ label: StaticString, _ epoch: Epoch) -> Octets16 {
        var code = InlineArray<32, UInt8>(repeating: 0)
        secret.withBytes { key in
            var output = code.mutableSpan
            hmacSHA256(key: key, into: &output) { $0.append(identifier: label, epoch) }
        }
        let view = code.span
        return Octets16(high: view.bigEndian(at: 0, count: 8), low: view.bigEndian(at: 8, count: 8))
    }

    fileprivate borrowing func key(_ label: StaticString, _ epoch: Epoch) -> SecretBytes {
        secret.withBytes { key in
            hmacSHA256(key: key) { $0.append(identifier: label, epoch) }
        }
    }
}

/// Names on the local network: the `devicePrivateSecret` of the mDNS formula.
public enum MDNSUse {}
/// Beacon minors.
public enum BeaconUse {}
/// Recognition tags.
public enum GATTUse {}
/// Pre-shared and gate keys of the confirm handshake.
public enum ConfirmUse {}

extension EpochKey where Use == MDNSUse {
    /// The service instance name of one epoch.
    public borrowing func serviceName(_ epoch: Epoch) -> OpaqueServiceName {
        OpaqueServiceName(identifier(DerivationLabel.serviceName, epoch))
    }

    /// The host name of one epoch, without the domain.
    public borrowing func hostName(_ epoch: Epoch) -> OpaqueHostName {
        OpaqueHostName(identifier(DerivationLabel.hostName, epoch))
    }
}

extension EpochKey where Use == BeaconUse {
    /// The minor of one epoch: the first two bytes, most significant first.
    public borrowing func minor(_ epoch: Epoch) -> BeaconMinor {
        BeaconMinor(UInt16(truncatingIfNeeded: identifier(DerivationLabel.beaconMinor, epoch).high >> 48))
    }
}

extension EpochKey where Use == GATTUse {
    /// The tag of one epoch.
    public borrowing func tag(_ epoch: Epoch) -> RecognitionTag {
        RecognitionTag(identifier(DerivationLabel.recognitionTag, epoch))
    }
}

extension EpochKey where Use == ConfirmUse {
    /// The first pre-shared key of the confirm handshake in one epoch, 32 bytes.
    public borrowing func preSharedKey(_ epoch: Epoch) -> SecretBytes { key(DerivationLabel.confirmPSK, epoch) }

    /// The key of the gate before message 1 in one epoch, 32 bytes.
    public borrowing func gateKey(_ epoch: Epoch) -> SecretBytes { key(DerivationLabel.confirmGate, epoch) }
}

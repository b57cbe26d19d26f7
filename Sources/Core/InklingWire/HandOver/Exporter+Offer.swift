public import InklingKeys

extension Exporter {
    /// Derives the identifier and the secrets of a handshake over an offered link, which replace the identifier that a
    /// device shows and the secrets of its epoch (`Specs/hand-over.md`).
    ///
    /// - Parameters:
    ///   - number: the number of the offer.
    ///   - transport: the transport of the link.
    ///   - epoch: the epoch in the prologue of the session's own handshake.
    ///   - device: the index of the device that made the offer.
    /// - Returns: the context of the handshake. Its gate opens once.
    public borrowing func offeredContext(
        _ number: TransportOffer.Number, over transport: Transport, in epoch: Epoch, of device: DeviceIndex
    ) -> ConfirmContext {
        let keys = offerKeys(number, over: transport)
        return ConfirmContext(
            transport: transport, epoch: epoch, device: device, identifier: keys.identifier,
            preSharedKey: keys.preSharedKey.value.duplicate(), gateKey: keys.gateKey.value.duplicate())
    }

    /// Derives the secrets and the identifier of an offered link.
    package borrowing func offerKeys(_ number: TransportOffer.Number, over transport: Transport) -> OfferKeys {
        let context = [transport.code, number.value]
        let identifier = secret(for: DerivationLabel.offerIdentifier, context).withBytes { bytes in
            Octets16(high: bytes.bigEndian(at: 0, count: 8), low: bytes.bigEndian(at: 8, count: 8))
        }
        return OfferKeys(
            gateKey: SecretBox(secret(for: DerivationLabel.offerGate, context)),
            preSharedKey: SecretBox(secret(for: DerivationLabel.offerPSK, context)), identifier: identifier)
    }
}

extension ConfirmContext {
    /// Whether a first message has the gate of this context.
    public func opens(_ packet: Packet) -> Bool {
        packet.type == .confirmFirst && Gate.opens(packet.body.span, key: gateKey.value, transport: transport)
    }
}

/// The secrets and the identifier of an offered link.
package struct OfferKeys: Sendable {
    package let gateKey: SecretBox<SecretBytes>
    package let preSharedKey: SecretBox<SecretBytes>
    package let identifier: Octets16
}

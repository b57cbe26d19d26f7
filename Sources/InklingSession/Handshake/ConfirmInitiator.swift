public import InklingKeys

/// An observer that has recognised a contact's device, has called it, and waits for its answer (`Specs/handshake.md`).
public struct ConfirmInitiator: ~Copyable, Sendable {
    /// Message 1, to send.
    public let packet: Packet
    private let responder: Octets32
    private let handshake: HandshakeState

    /// Calls the device that showed `context`.
    ///
    /// `responder` is the static key of that device, out of a certificate that is valid now; the caller has checked it
    /// before anything is sent.
    /// - Throws: `HandshakeError.noise` when `responder` is a point of small order.
    public init(
        _ context: ConfirmContext, deviceKey: borrowing NoiseKeyPair, responder: Octets32, payload: ConfirmPayload,
        using generator: inout some RandomNumberGenerator
    ) throws(HandshakeError) {
        var message: [UInt8] = []
        let start = try context.handshake(
            .initiator, deviceKey: deviceKey, responder: responder, ephemeral: NoiseKeyPair(from: &generator))
        let called = try start.write(
            message: 1, payload.encoded(for: .first), appendingTo: &message,
            presharedKeys: { _, _ in context.preSharedKey.value.duplicate() })
        let body = Gate.body(key: context.gateKey.value, transport: context.transport, message: message)
        packet = try .handshake(.confirmFirst, body: body)
        self.responder = responder
        handshake = called
    }

    /// Takes the answer, which proves that the contact's device is there now.
    ///
    /// `pairwiseKey` is the key in force between the two users, 32 bytes.
    /// - Throws: `HandshakeError`; the handshake has ended then.
    public consuming func receive(
        _ packet: Packet, pairwiseKey: borrowing SecretBytes
    ) throws(HandshakeError) -> EstablishedSession {
        guard packet.type == .confirmSecond else { throw .unexpectedPacket }
        let responder = responder
        let secondKey = SecretBox(pairwiseKey.duplicate())
        var payload = SecretBytes(count: 0) { _ in }
        let complete = try handshake.read(
            message: 2, packet.body.span, into: &payload, presharedKeys: { _, _ in secondKey.value.duplicate() })
        let introduction: ConfirmPayload
        do {
            introduction = try payload.withBytes { bytes throws(PayloadError) in
                try ConfirmPayload(parsing: bytes, of: .second)
            }
        } catch {
            throw .payload(error)
        }
        return EstablishedSession(
            role: .initiator, peerKey: responder, introduction: .contact(introduction),
            keys: try complete.finish(afterMessage: 2))
    }
}

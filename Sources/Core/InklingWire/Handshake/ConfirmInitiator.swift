public import InklingKeys

/// The initiator of a confirm handshake: an observer that has recognised a contact's device and waits for its reply
/// (`Specs/handshake.md`).
public struct ConfirmInitiator: ~Copyable, Sendable {
    /// Message 1, to send.
    public let packet: Packet
    private let responder: Octets32
    private let handshake: HandshakeState

    /// Starts a handshake with the device that showed the identifier in `context`.
    ///
    /// `responder` is the static key of that device from a certificate that the caller has checked and that is valid
    /// now.
    /// - Throws: `HandshakeError.noise` if `responder` is a point of small order.
    public init(
        _ context: ConfirmContext, deviceKey: borrowing NoiseKeyPair, responder: Octets32, payload: ConfirmPayload,
        using generator: inout some RandomNumberGenerator
    ) throws(HandshakeError) {
        var message: [UInt8] = []
        let start = try context.handshake(
            .initiator, deviceKey: deviceKey, responder: responder, ephemeral: NoiseKeyPair(from: &generator))
        let afterFirst = try start.write(
            message: 1, payload.encoded(for: .first), appendingTo: &message,
            presharedKeys: { _, _ in context.preSharedKey.value.duplicate() })
        let body = Gate.body(key: context.gateKey.value, transport: context.transport, message: message)
        packet = try .handshake(.confirmFirst, body: body)
        self.responder = responder
        handshake = afterFirst
    }

    private init(copying other: borrowing ConfirmInitiator) {
        packet = other.packet
        responder = other.responder
        handshake = other.handshake.duplicate()
    }

    /// Returns an initiator that waits for the same reply, to try another pairwise key. At most one of them may be used
    /// for a session.
    public borrowing func duplicate() -> ConfirmInitiator { ConfirmInitiator(copying: self) }

    /// Checks the reply, which proves that the contact's device can be reached now, and returns the session.
    ///
    /// `pairwiseKey` is the pairwise key of the two users, 32 bytes.
    /// - Throws: `HandshakeError`. The handshake has then ended.
    public consuming func receive(
        _ packet: Packet, pairwiseKey: borrowing SecretBytes
    ) throws(HandshakeError) -> EstablishedSession {
        var index = 0
        return try receive(packet, pairwiseKeys: [SecretBox(pairwiseKey.duplicate())], opened: &index)
    }

    /// Checks the reply with each of several pairwise keys in turn (`Specs/first-contact.md`).
    ///
    /// - Parameters:
    ///   - packet: message 2.
    ///   - pairwiseKeys: the kept pairwise keys of the two users, each 32 bytes; at least one.
    ///   - index: set to the position of the key under which message 2 opened.
    /// - Returns: the session.
    /// - Throws: `HandshakeError`. The handshake has then ended.
    public consuming func receive(
        _ packet: Packet, pairwiseKeys: [SecretBox<SecretBytes>], opened index: inout Int
    ) throws(HandshakeError) -> EstablishedSession {
        let responder = responder
        let handshake = handshake
        for (position, key) in pairwiseKeys.enumerated().dropLast() {
            do throws(HandshakeError) {
                let session = try Self.open(packet, key, handshake.duplicate(), from: responder)
                index = position
                return session
            } catch {
                // Only a wrong key makes the next one worth trying.
                guard case .noise(message: 2, .decryptionFailed) = error else { throw error }
            }
        }
        guard let last = pairwiseKeys.last else { throw .unknownContact }
        let session = try Self.open(packet, last, handshake, from: responder)
        index = pairwiseKeys.count - 1
        return session
    }

    private static func open(
        _ packet: Packet, _ secondKey: SecretBox<SecretBytes>, _ handshake: consuming HandshakeState,
        from responder: Octets32
    ) throws(HandshakeError) -> EstablishedSession {
        guard packet.type == .confirmSecond else { throw .unexpectedPacket }
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

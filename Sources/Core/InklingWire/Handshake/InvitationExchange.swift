internal import InklingKeys

/// The parts of a first contact and a device link that are the same for both parties (`Specs/handshake.md`).
struct InvitationExchange: Sendable {
    /// The payload of a message without a card: 64 zero bytes, so that each message has a fixed size.
    static let emptyPayload = [UInt8](repeating: 0, count: 64)

    let use: InvitationUse
    let transport: Transport
    let keys: SecretBox<InvitationKeys>
    /// The secret of the invitation; its object identity tells one invitation from another.
    let secret: SecretBox<SecretBytes>
    private let commitment: Octets16

    init(_ invitation: Invitation, _ use: InvitationUse, _ transport: Transport) {
        self.use = use
        self.transport = transport
        secret = invitation.secret
        commitment = invitation.commitment
        keys = SecretBox(invitation.keys())
    }

    var firstType: PacketType { use == .firstContact ? .firstContactFirst : .deviceLinkFirst }
    var secondType: PacketType { use == .firstContact ? .firstContactSecond : .deviceLinkSecond }
    var thirdType: PacketType { use == .firstContact ? .firstContactThird : .deviceLinkThird }

    /// Returns the pre-shared key at a position.
    func presharedKey(_ position: Int, _ remoteStatic: Octets32?) -> SecretBytes? {
        position == 0 ? keys.value.psk0.duplicate() : keys.value.psk3.duplicate()
    }

    /// Returns the state of a party before message 1.
    func handshake(
        _ role: Role, deviceKey: borrowing NoiseKeyPair, ephemeral: consuming NoiseKeyPair
    ) throws(HandshakeError) -> HandshakeState {
        try .start(
            .invitation, role,
            prologue: HandshakePrologue.invitation(use, transport: transport, commitment: commitment),
            deviceKey: deviceKey, ephemeral: ephemeral)
    }

    /// Returns the payload with a card.
    static func payload(_ card: ContactCard, _ unixMilliseconds: UInt64) throws(HandshakeError) -> [UInt8] {
        do {
            return try FirstContactPayload(unixMilliseconds: unixMilliseconds, card: card.bytes).encoded()
        } catch {
            throw .payload(error)
        }
    }

    /// Returns the card in a payload. It must have a certificate for the static key of the handshake: otherwise a
    /// contact could present another person's key as its own.
    static func card(
        in payload: borrowing SecretBytes, of key: Octets32?, now: Period
    ) throws(HandshakeError) -> (card: ContactCard, unixMilliseconds: UInt64) {
        let content: FirstContactPayload
        do {
            content = try payload.withBytes { bytes throws(PayloadError) in try FirstContactPayload(parsing: bytes) }
        } catch {
            throw .payload(error)
        }
        let card: ContactCard
        do { card = try ContactCard(parsing: content.card.span, now: now) } catch { throw .card(error) }
        guard let key, card.certificate(ofKey: key, in: now) != nil else { throw .uncertifiedKey }
        return (card, content.unixMilliseconds)
    }
}

internal import InklingKeys

/// What both parties of a first contact or a device link do alike (`Specs/handshake.md`).
struct InvitationExchange: Sendable {
    /// What carries no card: 64 zero bytes, so that each message has one size.
    static let emptyPayload = [UInt8](repeating: 0, count: 64)

    let use: InvitationUse
    let transport: Transport
    let keys: SecretBox<InvitationKeys>
    /// The invitation's own object, by which it is known again.
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

    /// The pre-shared key of a position.
    func presharedKey(_ position: Int, _ remoteStatic: Octets32?) -> SecretBytes? {
        position == 0 ? keys.value.psk0.duplicate() : keys.value.psk3.duplicate()
    }

    /// The state of a party before message 1.
    func handshake(
        _ role: Role, deviceKey: borrowing NoiseKeyPair, ephemeral: consuming NoiseKeyPair
    ) throws(HandshakeError) -> HandshakeState {
        try .start(
            "Noise_XXpsk0+psk3_25519_ChaChaPoly_SHA256", role,
            prologue: HandshakePrologue.invitation(use, transport: transport, commitment: commitment),
            deviceKey: deviceKey, ephemeral: ephemeral)
    }

    /// The payload that carries a card.
    static func payload(_ card: ContactCard, _ unixMilliseconds: UInt64) throws(HandshakeError) -> [UInt8] {
        do {
            return try FirstContactPayload(unixMilliseconds: unixMilliseconds, card: card.bytes).encoded()
        } catch {
            throw .payload(error)
        }
    }

    /// The card in a payload, which must certify the key that the handshake proved: otherwise a contact could enrol
    /// somebody else's key as its own.
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

public import InklingKeys

/// The joiner's side of a first contact or a device link: it has read an invitation, has sent message 1, and waits for
/// the inviter's card (`Specs/handshake.md`).
public struct Joiner: ~Copyable, Sendable {
    /// The purpose of the handshake.
    public enum Purpose: Sendable {
        /// To become a contact; the joiner sends its own card.
        case firstContact(ContactCard)
        /// To become a device of the inviter's user.
        case deviceLink

        var use: InvitationUse {
            switch self {
            case .firstContact: .firstContact
            case .deviceLink: .deviceLink
            }
        }
    }

    /// Message 1, to send.
    public let packet: Packet
    private let purpose: Purpose
    private let commitment: Octets16
    private let exchange: InvitationExchange
    private let handshake: HandshakeState

    /// Starts a handshake with the device that shows itself in the audience of the invitation.
    ///
    /// - Throws: `HandshakeError`, but never because of anything that a peer sends.
    public init(
        _ invitation: Invitation, for purpose: Purpose, transport: Transport, deviceKey: borrowing NoiseKeyPair,
        using generator: inout some RandomNumberGenerator
    ) throws(HandshakeError) {
        let exchange = InvitationExchange(invitation, purpose.use, transport)
        var message: [UInt8] = []
        let start = try exchange.handshake(
            .initiator, deviceKey: deviceKey, ephemeral: NoiseKeyPair(from: &generator))
        let afterFirst = try start.write(
            message: 1, InvitationExchange.emptyPayload, appendingTo: &message, presharedKeys: exchange.presharedKey)
        let body = Gate.body(key: exchange.keys.value.gateKey, transport: transport, message: message)
        packet = try .handshake(exchange.firstType, body: body)
        handshake = afterFirst
        self.purpose = purpose
        self.exchange = exchange
        commitment = invitation.commitment
    }

    /// Checks the inviter's card, and returns the session with message 3 to send, which contains the joiner's own card
    /// in a first contact.
    ///
    /// The card must match the commitment in the invitation and have a certificate, valid in the period `now`, for the
    /// key that the inviter used in the handshake. `unixMilliseconds` is the joiner's own clock, as a hint.
    /// - Throws: `HandshakeError`. The handshake has then ended.
    public consuming func receive(
        _ packet: Packet, now: Period, unixMilliseconds: UInt64
    ) throws(HandshakeError) -> UnauthenticatedSession {
        guard packet.type == exchange.secondType else { throw .unexpectedPacket }
        let (purpose, commitment, exchange) = (purpose, commitment, exchange)
        var payload = SecretBytes(count: 0) { _ in }
        let received = try handshake.read(
            message: 2, packet.body.span, into: &payload, presharedKeys: exchange.presharedKey)
        let (card, clock) = try InvitationExchange.card(in: payload, of: received.remoteStatic, now: now)
        guard card.commitment == commitment else { throw .commitmentMismatch }
        guard let peerKey = received.remoteStatic else { throw .uncertifiedKey }

        let reply: [UInt8]
        switch purpose {
        case .firstContact(let own): reply = try InvitationExchange.payload(own, unixMilliseconds)
        case .deviceLink: reply = InvitationExchange.emptyPayload
        }
        var body: [UInt8] = []
        let complete = try received.write(
            message: 3, reply, appendingTo: &body, presharedKeys: exchange.presharedKey)
        return UnauthenticatedSession(
            packet: try .handshake(exchange.thirdType, body: body),
            session: EstablishedSession(
                role: .initiator, peerKey: peerKey, introduction: .card(card, unixMilliseconds: clock),
                keys: try complete.finish(afterMessage: 3), isFirstContact: purpose.use == .firstContact))
    }
}

public import InklingKeys

/// Somebody who was given an invitation, has called the inviter, and waits for its card (`Specs/handshake.md`).
public struct Joiner: ~Copyable, Sendable {
    /// Why the joiner calls.
    public enum Purpose: Sendable {
        /// To become a contact, who goes by this card.
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

    /// Calls whoever shows the invitation's audience.
    ///
    /// - Throws: `HandshakeError`, which nothing that a peer does can cause.
    public init(
        _ invitation: Invitation, for purpose: Purpose, transport: Transport, deviceKey: borrowing NoiseKeyPair,
        using generator: inout some RandomNumberGenerator
    ) throws(HandshakeError) {
        let exchange = InvitationExchange(invitation, purpose.use, transport)
        var message: [UInt8] = []
        let start = try exchange.handshake(
            .initiator, deviceKey: deviceKey, ephemeral: NoiseKeyPair(from: &generator))
        let called = try start.write(
            message: 1, InvitationExchange.emptyPayload, appendingTo: &message, presharedKeys: exchange.presharedKey)
        let body = Gate.body(key: exchange.keys.value.gateKey, transport: transport, message: message)
        packet = try .handshake(exchange.firstType, body: body)
        handshake = called
        self.purpose = purpose
        self.exchange = exchange
        commitment = invitation.commitment
    }

    /// Takes the inviter's card and answers with the own one, or as a new device.
    ///
    /// The card must be the one that the invitation announced, and certify in the period `now` the key with which the
    /// inviter speaks. `unixMilliseconds` is the own clock, as a hint.
    /// - Throws: `HandshakeError`; the handshake has ended then.
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

        let answer: [UInt8]
        switch purpose {
        case .firstContact(let own): answer = try InvitationExchange.payload(own, unixMilliseconds)
        case .deviceLink: answer = InvitationExchange.emptyPayload
        }
        var body: [UInt8] = []
        let complete = try received.write(
            message: 3, answer, appendingTo: &body, presharedKeys: exchange.presharedKey)
        return UnauthenticatedSession(
            packet: try .handshake(exchange.thirdType, body: body),
            session: EstablishedSession(
                role: .initiator, peerKey: peerKey, introduction: .card(card, unixMilliseconds: clock),
                keys: try complete.finish(afterMessage: 3)))
    }
}

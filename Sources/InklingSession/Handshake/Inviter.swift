public import InklingKeys

/// The one invitation that a device has open (`Specs/handshake.md`).
///
/// It is used up by the first joiner whose message 3 authenticates, and dead after `Invitation.attemptLimit` joiners whose
/// message 1 authenticated, or at its expiry.
public struct Inviter: Sendable {
    /// The invitation as it was given away.
    public let invitation: Invitation
    /// What it leads to.
    public let use: InvitationUse
    private let ownCard: ContactCard
    private var page = ReplayPage()
    private var isUsed = false

    /// Opens an invitation that announced `ownCard`, or opens it again after a restart with the attempts so far.
    public init(
        _ invitation: Invitation, for use: InvitationUse, ownCard: ContactCard, attempts: some Sequence<Octets32> = []
    ) {
        self.invitation = invitation
        self.use = use
        self.ownCard = ownCard
        for attempt in attempts { page.restore(attempt) }
    }

    /// The ephemeral keys of the joiners whose message 1 authenticated, ascending; to be stored before the answer to
    /// one of them leaves, when the invitation is to survive a restart.
    public var attempts: [Octets32] { page.authenticated }

    /// Whether somebody could still use the invitation at a moment.
    public func isOpen(at unixMilliseconds: UInt64) -> Bool { refusal(at: unixMilliseconds) == nil }

    /// Takes a joiner's first message and answers with the own card.
    ///
    /// `deviceKey` is certified by the card, `budget` is `ConfirmResponder.nodeBudget` on the monotonic clock `now` in
    /// milliseconds, and `unixMilliseconds` is the own clock.
    /// - Throws: `HandshakeError`. The caller sends nothing, whatever the reason.
    public mutating func receive(
        _ packet: Packet, transport: Transport, deviceKey: borrowing NoiseKeyPair,
        budget: inout FirstMessageBudget, at now: UInt64, unixMilliseconds: UInt64,
        using generator: inout some RandomNumberGenerator
    ) throws(HandshakeError) -> PendingJoiner {
        if let refusal = refusal(at: unixMilliseconds) { throw refusal }
        let exchange = InvitationExchange(invitation, use, transport)
        guard packet.type == exchange.firstType else { throw .unexpectedPacket }
        guard Gate.opens(packet.body.span, key: exchange.keys.value.gateKey, transport: transport),
            let joiner = Octets32(packet.body.span.extracting(Gate.byteCount..<Gate.byteCount + 32))
        else { throw .gateMismatch }
        try page.insert(joiner)
        guard budget.spend(at: now) else { throw .overBudget }

        let start = try exchange.handshake(
            .responder, deviceKey: deviceKey, ephemeral: NoiseKeyPair(from: &generator))
        var payload = SecretBytes(count: 0) { _ in }
        let called = try start.read(
            message: 1, packet.body.span.extracting(Gate.byteCount...), into: &payload,
            presharedKeys: exchange.presharedKey)
        page.markAuthenticated(joiner)
        var body: [UInt8] = []
        let answered = try called.write(
            message: 2, InvitationExchange.payload(ownCard, unixMilliseconds), appendingTo: &body,
            presharedKeys: exchange.presharedKey)
        return PendingJoiner(
            packet: try .handshake(exchange.secondType, body: body), exchange: exchange, handshake: answered)
    }

    /// Takes a joiner's last message, which uses the invitation up.
    ///
    /// A joiner's card must certify in the period `now` the key with which the joiner speaks.
    /// - Throws: `HandshakeError`; that joiner's handshake has ended then.
    public mutating func complete(
        _ joiner: consuming PendingJoiner, with packet: Packet, now: Period, unixMilliseconds: UInt64
    ) throws(HandshakeError) -> EstablishedSession {
        if isUsed || unixMilliseconds / 60_000 >= UInt64(invitation.expiryMinute) {
            throw isUsed ? .invitationSpent : .invitationExpired
        }
        let exchange = joiner.exchange
        // A joiner of an earlier invitation cannot use this one.
        guard exchange.secret === invitation.secret else { throw .invitationSpent }
        guard packet.type == exchange.thirdType else { throw .unexpectedPacket }
        var payload = SecretBytes(count: 0) { _ in }
        let complete = try joiner.intoHandshake().read(
            message: 3, packet.body.span, into: &payload, presharedKeys: exchange.presharedKey)
        isUsed = true
        guard let peerKey = complete.remoteStatic else { throw .uncertifiedKey }
        let introduction: PeerIntroduction
        switch use {
        case .firstContact:
            let (card, clock) = try InvitationExchange.card(in: payload, of: peerKey, now: now)
            introduction = .card(card, unixMilliseconds: clock)
        case .deviceLink: introduction = .newDevice
        }
        return EstablishedSession(
            role: .responder, peerKey: peerKey, introduction: introduction, keys: try complete.finish(afterMessage: 3))
    }

    private func refusal(at unixMilliseconds: UInt64) -> HandshakeError? {
        if isUsed || page.authenticated.count >= Invitation.attemptLimit { return .invitationSpent }
        return unixMilliseconds / 60_000 >= UInt64(invitation.expiryMinute) ? .invitationExpired : nil
    }
}

/// A joiner who has been answered and has not yet proven that it received the answer.
public struct PendingJoiner: ~Copyable, Sendable {
    /// Message 2, to send.
    public let packet: Packet
    let exchange: InvitationExchange
    private let handshake: HandshakeState

    init(packet: Packet, exchange: InvitationExchange, handshake: consuming HandshakeState) {
        self.packet = packet
        self.exchange = exchange
        self.handshake = handshake
    }

    consuming func intoHandshake() -> HandshakeState { handshake }
}

public import InklingKeys

/// The inviter's side of a first contact or a device link, for the one invitation that a device has open
/// (`Specs/handshake.md`).
///
/// The invitation is used up by the first joiner whose message 3 authenticates. It is dead after
/// `Invitation.attemptLimit` first messages have authenticated, and from its expiry on.
public struct Inviter: Sendable {
    /// The open invitation.
    public let invitation: Invitation
    /// The handshake that the invitation is for.
    public let use: InvitationUse
    private let ownCard: ContactCard
    private var page = ReplayPage()
    private var isUsed = false

    /// Opens an invitation with the commitment to `ownCard`. After a restart, `attempts` are those so far.
    public init(
        _ invitation: Invitation, for use: InvitationUse, ownCard: ContactCard, attempts: some Sequence<Octets32> = []
    ) {
        self.invitation = invitation
        self.use = use
        self.ownCard = ownCard
        for attempt in attempts { page.restore(attempt) }
    }

    /// The ephemeral keys of the joiners whose message 1 authenticated, ascending. If the invitation should survive a
    /// restart, they must be stored before message 2 is sent to one of the joiners.
    public var attempts: [Octets32] { page.authenticated }

    /// Returns whether a joiner can still start a handshake at a time.
    public func isOpen(at unixMilliseconds: UInt64) -> Bool { refusal(at: unixMilliseconds) == nil }

    /// Checks a joiner's first message and returns the reply, which contains the inviter's own card.
    ///
    /// The card has a certificate for `deviceKey`. `budget` is `ConfirmResponder.nodeBudget`, `now` the monotonic clock
    /// in milliseconds, and `unixMilliseconds` the inviter's own clock.
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
        let afterFirst = try start.read(
            message: 1, packet.body.span.extracting(Gate.byteCount...), into: &payload,
            presharedKeys: exchange.presharedKey)
        page.markAuthenticated(joiner)
        var body: [UInt8] = []
        let afterSecond = try afterFirst.write(
            message: 2, InvitationExchange.payload(ownCard, unixMilliseconds), appendingTo: &body,
            presharedKeys: exchange.presharedKey)
        return PendingJoiner(
            packet: try .handshake(exchange.secondType, body: body), exchange: exchange, handshake: afterSecond)
    }

    /// Checks a joiner's last message, which uses up the invitation, and returns the session.
    ///
    /// In a first contact, the joiner's card must have a certificate, valid in the period `now`, for the key that the
    /// joiner used in the handshake.
    /// - Throws: `HandshakeError`. The handshake with this joiner has then ended.
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
            role: .responder, peerKey: peerKey, introduction: introduction, keys: try complete.finish(afterMessage: 3),
            isFirstContact: use == .firstContact)
    }

    private func refusal(at unixMilliseconds: UInt64) -> HandshakeError? {
        if isUsed || page.authenticated.count >= Invitation.attemptLimit { return .invitationSpent }
        return unixMilliseconds / 60_000 >= UInt64(invitation.expiryMinute) ? .invitationExpired : nil
    }
}

/// A joiner to which the inviter replies and whose message 3 has not arrived.
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

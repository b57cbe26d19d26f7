public import InklingKeys

/// The responder of confirm handshakes, which checks first messages and replies to contacts (`Specs/handshake.md`).
///
/// Every refusal looks the same to the peer: it receives nothing. The checks are in the order of their cost: packet,
/// gate, replay, budget, and only then a Diffie-Hellman step.
public struct ConfirmResponder: Sendable {
    /// The budget for all first messages of the node, including those for an open invitation.
    public var nodeBudget = FirstMessageBudget.node
    private var replayCache: ReplayCache
    // Only devices of contacts have an entry, and full budgets are removed, so the size is bounded.
    private var contactBudgets: [Octets32: FirstMessageBudget] = [:]

    /// Creates a responder that knows the first messages that an earlier run authenticated.
    public init(restoring entries: some Sequence<ReplayCache.Entry> = []) {
        replayCache = ReplayCache(restoring: entries)
    }

    /// Checks a first message.
    ///
    /// - `contexts`: the contexts that this device showed on the transport of the link, for each audience, in the
    ///   epochs whose first messages it accepts: the current one, and during the skew allowance also the previous one.
    ///   The gate selects one of them.
    /// - `now`: the monotonic clock in milliseconds.
    /// - `pairwiseKey`: returns the current pairwise key, 32 bytes, with the user to whom a device's static key
    ///   belongs; nil if the key belongs to no contact. It must take the same time for every key.
    /// - Throws: `HandshakeError`. The caller sends nothing, whatever the reason.
    public mutating func receive(
        _ packet: Packet, contexts: [ConfirmContext], deviceKey: borrowing NoiseKeyPair, at now: UInt64,
        using generator: inout some RandomNumberGenerator, pairwiseKey: (Octets32) -> SecretBytes?
    ) throws(HandshakeError) -> ConfirmRequest {
        guard packet.type == .confirmFirst else { throw .unexpectedPacket }
        let message = packet.body.span.extracting(Gate.byteCount...)
        guard let context = Self.context(of: packet, among: contexts),
            let ephemeral = Octets32(message.extracting(..<32))
        else { throw .gateMismatch }
        let entry = ReplayCache.Entry(epoch: context.epoch, ephemeral: ephemeral)
        try replayCache.insert(entry)
        guard nodeBudget.spend(at: now) else { throw .overBudget }

        var payload = SecretBytes(count: 0) { _ in }
        let start = try context.handshake(
            .responder, deviceKey: deviceKey, responder: nil, ephemeral: NoiseKeyPair(from: &generator))
        var fault: HandshakeError?
        var secondKey: SecretBox<SecretBytes>?
        let handshake: HandshakeState
        do {
            handshake = try start.read(
                message: 1, message, into: &payload,
                presharedKeys: { _, _ in context.preSharedKey.value.duplicate() },
                checkStatic: { key throws(NoiseError) in
                    if !hasBudget(key, at: now) {
                        fault = .contactOverBudget
                    } else if let pairwiseKey = pairwiseKey(key) {
                        secondKey = SecretBox(pairwiseKey)
                    } else {
                        fault = .unknownContact
                    }
                    if fault != nil { throw .unwelcome }
                })
        } catch {
            throw fault ?? error
        }
        guard let peerKey = handshake.remoteStatic, let secondKey else { throw .unknownContact }
        // Charged only now that the message has authenticated: otherwise anyone who knows the audience could send a
        // contact's key and lock the contact out.
        charge(peerKey, at: now)
        let introduction: ConfirmPayload
        do {
            introduction = try payload.withBytes { bytes throws(PayloadError) in
                try ConfirmPayload(parsing: bytes, of: .first)
            }
        } catch {
            throw .payload(error)
        }
        replayCache.markAuthenticated(entry)
        return ConfirmRequest(
            peerKey: peerKey, payload: introduction, context: context, entry: entry,
            secondKey: secondKey, handshake: handshake)
    }

    /// The authenticated first messages. They must be stored before a reply is sent, and restored in the next run.
    public var authenticatedEntries: [ReplayCache.Entry] { replayCache.authenticatedEntries }

    /// Removes the first messages of the epochs before `epoch`, which are no longer accepted.
    public mutating func forget(before epoch: Epoch) { replayCache.forget(before: epoch) }

    /// Returns the context whose gate matches. All contexts are tried, so that the time does not reveal which one
    /// matched.
    private static func context(of packet: Packet, among contexts: [ConfirmContext]) -> ConfirmContext? {
        var match: ConfirmContext?
        for context in contexts
        where Gate.opens(packet.body.span, key: context.gateKey.value, transport: context.transport) {
            match = context
        }
        return match
    }

    private func hasBudget(_ key: Octets32, at now: UInt64) -> Bool {
        var budget = contactBudgets[key] ?? .contactDevice
        return budget.spend(at: now)
    }

    private mutating func charge(_ key: Octets32, at now: UInt64) {
        contactBudgets = contactBudgets.filter { !$0.value.isWhole(at: now) }
        var budget = contactBudgets[key] ?? .contactDevice
        _ = budget.spend(at: now)
        contactBudgets[key] = budget
    }
}

/// A first message that authenticated. It comes from a contact or from an attacker that has stolen this device's key,
/// so the device replies to it, but shows and stores nothing about it except `entry` (`Specs/handshake.md`).
public struct ConfirmRequest: ~Copyable, Sendable {
    /// The static key of the initiator's device.
    public let peerKey: Octets32
    /// The initiator's payload.
    public let payload: ConfirmPayload
    /// The context in which the initiator recognised this device.
    public let context: ConfirmContext
    /// The entry that must be on stable storage before the reply is sent.
    public let entry: ReplayCache.Entry
    let secondKey: SecretBox<SecretBytes>
    private let handshake: HandshakeState

    init(
        peerKey: Octets32, payload: ConfirmPayload, context: ConfirmContext, entry: ReplayCache.Entry,
        secondKey: SecretBox<SecretBytes>, handshake: consuming HandshakeState
    ) {
        self.peerKey = peerKey
        self.payload = payload
        self.context = context
        self.entry = entry
        self.secondKey = secondKey
        self.handshake = handshake
    }

    /// Returns the session with the reply to send. Call it after `entry` is stored.
    ///
    /// - Throws: `HandshakeError.noise` if a key of the initiator is a point of small order.
    public consuming func reply(_ payload: ConfirmPayload) throws(HandshakeError) -> UnauthenticatedSession {
        let (peerKey, introduction, secondKey) = (peerKey, self.payload, secondKey)
        var body: [UInt8] = []
        let complete = try handshake.write(
            message: 2, payload.encoded(for: .second), appendingTo: &body,
            presharedKeys: { _, _ in secondKey.value.duplicate() })
        let keys = try complete.finish(afterMessage: 2)
        return UnauthenticatedSession(
            packet: try .handshake(.confirmSecond, body: body),
            session: EstablishedSession(
                role: .responder, peerKey: peerKey, introduction: .contact(introduction), keys: keys))
    }
}

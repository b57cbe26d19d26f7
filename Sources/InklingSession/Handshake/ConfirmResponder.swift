public import InklingKeys

/// A recognisable device that decides which first messages it answers (`Specs/handshake.md`).
///
/// Every refusal looks the same from outside: nothing is sent. The checks come in the order of their cost: packet,
/// gate, replay, budget, and only then a Diffie-Hellman step.
public struct ConfirmResponder: Sendable {
    /// The budget of the whole node, which an open invitation shares.
    public var nodeBudget = FirstMessageBudget.node
    private var replayCache: ReplayCache
    // Only devices of contacts get an entry, and whole budgets are dropped.
    private var contactBudgets: [Octets32: FirstMessageBudget] = [:]

    /// A responder that remembers what an earlier run authenticated.
    public init(restoring entries: some Sequence<ReplayCache.Entry> = []) {
        replayCache = ReplayCache(restoring: entries)
    }

    /// Takes a first message.
    ///
    /// - `contexts`: what this device showed on the link's transport in the epochs that it still answers for, its own
    ///   and during the skew allowance the previous one, for each audience. The gate selects one of them.
    /// - `now`: the monotonic clock in milliseconds.
    /// - `pairwiseKey`: the key in force with the user to whom a device's static key belongs, 32 bytes, or nil when the
    ///   key belongs to nobody who may call. It must take the same time for each answer.
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
                welcomes: { key throws(NoiseError) in
                    if !mayCall(key, at: now) {
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
        // Charged only now: whoever knows the audience can name a contact's key, and must not lock the contact out.
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

    /// The authenticated first messages, to be stored before a reply leaves and given to the next run.
    public var authenticatedEntries: [ReplayCache.Entry] { replayCache.authenticatedEntries }

    /// Forgets the first messages of epochs that are no longer answered.
    public mutating func forget(before epoch: Epoch) { replayCache.forget(before: epoch) }

    /// The context whose gate is right. All are tried, so that the time does not tell which one it was.
    private static func context(of packet: Packet, among contexts: [ConfirmContext]) -> ConfirmContext? {
        var match: ConfirmContext?
        for context in contexts
        where Gate.opens(packet.body.span, key: context.gateKey.value, transport: context.transport) {
            match = context
        }
        return match
    }

    private func mayCall(_ key: Octets32, at now: UInt64) -> Bool {
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

/// A first message that came from a contact, or from a thief of this device's key: it is answered, and nothing about it
/// is shown or stored beyond `entry` (`Specs/handshake.md`).
public struct ConfirmRequest: ~Copyable, Sendable {
    /// The static key of the caller's device.
    public let peerKey: Octets32
    /// What the caller says.
    public let payload: ConfirmPayload
    /// What the caller had recognised.
    public let context: ConfirmContext
    /// What must be on stable storage before the reply leaves.
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

    /// Answers, once `entry` is stored.
    ///
    /// - Throws: `HandshakeError.noise` when the caller's keys are points of small order.
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

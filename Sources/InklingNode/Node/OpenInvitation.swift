internal import InklingEngine
internal import InklingKeys
internal import InklingSession

/// An invitation of this node, from when it is opened until its outcome has been taken.
///
/// A value: the node's inputs go in, and what must be answered comes out. It is not stored: after a restart the
/// inviter opens another.
struct OpenInvitation: Sendable {
    /// What the node must do.
    enum Effect: Sendable {
        /// The invitation can be shown, with the port on which it is answered; or it could not be opened.
        case opened(
            Answer<(invitation: Invitation, port: UInt16)>, Result<(invitation: Invitation, port: UInt16), NodeError>)
        /// What has become of it.
        case concluded(Answer<ContactSummary>, Result<ContactSummary, NodeError>)
        /// It is not answered any more.
        case closed
    }

    private enum Phase {
        /// Waits for a port.
        case opening(Answer<(invitation: Invitation, port: UInt16)>)
        case waitingForJoiner
        /// Somebody has proven to hold the invitation, whose expiry then matters no more.
        case deciding
        case concluded(Result<ContactSummary, NodeError>)
    }

    /// Tells this invitation from earlier and later ones, so that a late outcome concludes no other one.
    let number: UInt64
    /// Shows the joiner to the user, who says whether that is the right one.
    let confirm: @Sendable (Introduction) async -> Bool
    private(set) var host: InvitationHost
    /// The tree of the invitation's root, with device 0: what the inviter answers to meanwhile.
    private let tree: SecretBox<AudienceTree>
    private var phase: Phase
    /// Who waits for the outcome.
    private var waiter: Answer<ContactSummary>?
    /// The epoch whose name is answered.
    private var answeredEpoch: Epoch?

    /// Opens an invitation; `answer` is sent when there is a port.
    init(
        _ invitation: Invitation, number: UInt64, ownCard: ContactCard,
        answer: Answer<(invitation: Invitation, port: UInt16)>,
        confirm: @escaping @Sendable (Introduction) async -> Bool
    ) {
        self.number = number
        self.confirm = confirm
        host = InvitationHost(invitation, for: .firstContact, ownCard: ownCard)
        tree = SecretBox(AudienceTree(root: invitation.keys().root.duplicate()))
        phase = .opening(answer)
    }

    /// Whether nothing has become of it yet.
    var isOpen: Bool { if case .concluded = phase { false } else { true } }

    /// Whether its outcome was taken, so that nothing is left of it.
    private(set) var isTaken = false

    /// Returns the names under which it is answered in the epoch of a moment.
    func names(at unixSeconds: UInt64) -> FirstContactNeeds.Answered? {
        Epoch(containing: unixSeconds).flatMap { OwnEpoch($0, device: .first, of: tree.value) }.map {
            FirstContactNeeds.Answered(name: $0.name, host: $0.host)
        }
    }

    /// Returns when `tend` must be called next: it ends, or its name changes with the epoch.
    func due(after now: ClockReading) -> Tick? {
        guard isOpen else { return nil }
        let end = UInt64(host.invitation.expiryMinute) * 60_000
        let boundary = Epoch(containing: now.unixSeconds).map { $0.end * 1000 } ?? end
        return [end, boundary].filter { $0 > now.unixMilliseconds }.min().map(now.tick(atUnixMilliseconds:))
    }

    /// Takes the port on which links are accepted, or why there is none.
    mutating func listening(_ result: Result<UInt16, LinkError>) -> [Effect] {
        guard case .opening(let answer) = phase else { return [] }
        switch result {
        case .success(let port):
            phase = .waitingForJoiner
            return [.opened(answer, .success((host.invitation, port)))]
        case .failure(let error):
            phase = .concluded(.failure(.links(error)))
            isTaken = true
            return [.opened(answer, .failure(.links(error))), .closed]
        }
    }

    /// Ends it when its time is over; true when its name has changed with the epoch.
    mutating func tend(at now: ClockReading) -> (effects: [Effect], hasNewName: Bool) {
        guard isOpen else { return ([], false) }
        var effects: [Effect] = []
        if case .waitingForJoiner = phase, !host.isOpen(at: now.unixMilliseconds) {
            effects = conclude(.failure(.invitationEnded))
        }
        let epoch = Epoch(containing: now.unixSeconds)
        defer { answeredEpoch = epoch }
        return (effects, answeredEpoch != epoch)
    }

    /// Takes a joiner's first message: the gate, the replay page, the budget, and then the handshake.
    ///
    /// - Throws: `HandshakeError`. The caller sends nothing, whatever the reason.
    mutating func receive(
        _ packet: Packet, transport: TransportCode, deviceKey: borrowing NoiseKeyPair, budget: inout AttemptBudget,
        at now: ClockReading, using generator: inout NodeRandomness
    ) throws(HandshakeError) -> PendingJoiner {
        guard isOpen else { throw .invitationSpent }
        return try host.receive(
            packet, transport: transport, deviceKey: deviceKey, budget: &budget, at: now.tick.milliseconds,
            unixMilliseconds: now.unixMilliseconds, using: &generator)
    }

    /// Takes a joiner's last message, which uses the invitation up. From then on problems are the user's to know.
    ///
    /// - Throws: `HandshakeError`.
    mutating func complete(
        _ joiner: consuming PendingJoiner, with packet: Packet, now: Period, unixMilliseconds: UInt64
    ) throws(HandshakeError) -> EstablishedSession {
        guard isOpen else { throw .invitationSpent }
        let session = try host.complete(joiner, with: packet, now: now, unixMilliseconds: unixMilliseconds)
        phase = .deciding
        return session
    }

    /// Ends it with an outcome; a second one changes nothing.
    mutating func conclude(_ outcome: Result<ContactSummary, NodeError>) -> [Effect] {
        guard isOpen else { return [] }
        if case .opening(let answer) = phase {
            isTaken = true
            phase = .concluded(outcome)
            return [.opened(answer, .failure(outcome.failure ?? .invitationEnded)), .closed]
        }
        phase = .concluded(outcome)
        guard let waiter else { return [.closed] }
        isTaken = true
        return [.closed, .concluded(waiter, outcome)]
    }

    /// Somebody waits for the outcome; a second one is refused.
    mutating func awaitOutcome(_ answer: Answer<ContactSummary>) -> [Effect] {
        if case .concluded(let outcome) = phase {
            isTaken = true
            return [.concluded(answer, outcome)]
        }
        guard waiter == nil else { return [.concluded(answer, .failure(.invitationOpen))] }
        waiter = answer
        return []
    }
}

extension Result {
    /// The error of a failure.
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

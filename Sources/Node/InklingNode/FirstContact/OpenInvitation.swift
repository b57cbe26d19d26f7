internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// An invitation of this node, from its opening until its outcome has been delivered.
///
/// A state machine: it takes the node's inputs and returns effects. It is not stored; after a restart the inviter opens
/// another invitation.
struct OpenInvitation: Sendable {
    /// An action for the node.
    enum Effect: Sendable {
        /// Send the invitation and its port, or the reason why it could not be opened.
        case opened(
            Answer<(invitation: Invitation, port: UInt16)>, Result<(invitation: Invitation, port: UInt16), NodeError>)
        /// Tell the user the port on which joiners are accepted now.
        case moved(@Sendable (UInt16) -> Void, to: UInt16)
        /// Send the outcome.
        case concluded(Answer<ContactSummary>, Result<ContactSummary, NodeError>)
        /// The invitation accepts no more joiners.
        case closed
    }

    private enum Phase {
        /// Waiting for a port.
        case opening(Answer<(invitation: Invitation, port: UInt16)>)
        case waitingForJoiner
        /// A joiner has proven that it holds the invitation, which no longer expires.
        case deciding
        case concluded(Result<ContactSummary, NodeError>)
    }

    /// The number of the invitation, so that a late outcome does not conclude another one.
    let number: UInt64
    /// The closure that shows the joiner to the user and returns whether the user accepts.
    let confirm: @Sendable (Introduction) async -> Bool
    /// The closure that tells the user that the port has changed.
    private let portChanged: @Sendable (UInt16) -> Void
    private(set) var host: Inviter
    /// The tree of the invitation's root; the inviter answers to its names, with device 0.
    private let tree: SecretBox<AudienceTree>
    private let ownCard: ContactCard
    /// The lifetime of the invitation, counted from when it has a port.
    private let life: Duration?
    private var phase: Phase
    /// The port on which joiners are accepted; nil until there is one.
    private var port: UInt16?
    /// The request that waits for the outcome.
    private var waiter: Answer<ContactSummary>?
    /// The epoch whose name the invitation answers to.
    private var answeredEpoch: Epoch?

    /// Creates an invitation that waits for a port; `answer` is sent when one is open.
    init(
        _ invitation: Invitation, for use: InvitationUse = .firstContact, number: UInt64, ownCard: ContactCard,
        lasting life: Duration? = nil, answer: Answer<(invitation: Invitation, port: UInt16)>,
        portChanged: @escaping @Sendable (UInt16) -> Void,
        confirm: @escaping @Sendable (Introduction) async -> Bool
    ) {
        self.number = number
        self.life = life
        self.ownCard = ownCard
        self.portChanged = portChanged
        self.confirm = confirm
        host = Inviter(invitation, for: use, ownCard: ownCard)
        tree = SecretBox(AudienceTree(root: invitation.keys().root.duplicate()))
        phase = .opening(answer)
    }

    /// Whether it has no outcome yet.
    var isOpen: Bool { if case .concluded = phase { false } else { true } }

    /// Whether the outcome has been delivered, so that the invitation can be dropped.
    private(set) var isTaken = false

    /// Returns the names that the invitation answers to at this time.
    func names(at unixSeconds: UInt64) -> FirstContactNeeds.Answered? {
        Epoch(containing: unixSeconds).flatMap { OwnEpoch($0, device: .first, of: tree.value, transport: .tcp) }.map {
            FirstContactNeeds.Answered(name: $0.name, host: $0.host)
        }
    }

    /// Returns the invitation's radio identifiers in the epoch of this time and in the next one.
    func shownByRadio(at unixSeconds: UInt64) -> [FirstContactNeeds.ShownByRadio] {
        guard host.invitation.transports.contains(.gatt), let epoch = Epoch(containing: unixSeconds) else { return [] }
        return [epoch, epoch.next].compactMap { $0 }.compactMap { epoch in
            OwnEpoch(epoch, device: .first, of: tree.value, transport: .gatt).map {
                FirstContactNeeds.ShownByRadio(epoch: epoch, minor: $0.minor, tag: $0.tag)
            }
        }
    }

    /// Returns when `update` must be called next: at the expiry, and at the boundary, when the name changes; at once if
    /// one of them has passed since the last call.
    func due(after now: ClockReading) -> Tick? {
        guard isOpen else { return nil }
        let epoch = Epoch(containing: now.unixSeconds)
        guard epoch == answeredEpoch else { return now.tick }
        var ends = epoch.map { [$0.end * 1000] } ?? []
        if case .waitingForJoiner = phase { ends.append(UInt64(host.invitation.expiryMinute) * 60_000) }
        return ends.min().map(now.tick(atUnixMilliseconds:))
    }

    /// Handles the outcome of opening a port: the first one, and one more in each later epoch or after another change.
    ///
    /// The lifetime of the invitation begins with the first: in a quiet period the invitation waits for its port.
    mutating func listening(_ result: Result<UInt16, LinkError>, at unixSeconds: UInt64? = nil) -> [Effect] {
        if case .waitingForJoiner = phase, case .success(let other) = result, other != port {
            port = other
            return [.moved(portChanged, to: other)]
        }
        guard case .opening(let answer) = phase else { return [] }
        switch result {
        case .success(let port):
            self.port = port
            if let life, let unixSeconds {
                host = Inviter(
                    Invitation(host.invitation, lasting: life, from: unixSeconds), for: host.use,
                    ownCard: ownCard)
            }
            phase = .waitingForJoiner
            return [.opened(answer, .success((host.invitation, port)))]
        case .failure(let error):
            phase = .concluded(.failure(.links(error)))
            isTaken = true
            return [.opened(answer, .failure(.links(error))), .closed]
        }
    }

    /// Ends an expired invitation, and returns whether the name has changed with the epoch.
    mutating func update(at now: ClockReading) -> (effects: [Effect], hasNewName: Bool) {
        guard isOpen else { return ([], false) }
        var effects: [Effect] = []
        if case .waitingForJoiner = phase, !host.isOpen(at: now.unixMilliseconds) {
            effects = conclude(.failure(.invitationEnded))
        }
        let epoch = Epoch(containing: now.unixSeconds)
        defer { answeredEpoch = epoch }
        return (effects, answeredEpoch != epoch)
    }

    /// Handles a joiner's first message: checks the gate, replay and the budget, then runs the handshake.
    ///
    /// - Throws: `HandshakeError`. The caller sends nothing for any of them.
    mutating func receive(
        _ packet: Packet, transport: Transport, deviceKey: borrowing NoiseKeyPair, budget: inout FirstMessageBudget,
        at now: ClockReading, using generator: inout NodeRandomness
    ) throws(HandshakeError) -> PendingJoiner {
        guard isOpen else { throw .invitationSpent }
        return try host.receive(
            packet, transport: transport, deviceKey: deviceKey, budget: &budget, at: now.tick.milliseconds,
            unixMilliseconds: now.unixMilliseconds, using: &generator)
    }

    /// Handles a joiner's last message, which uses up the invitation. Later failures are reported to the user.
    ///
    /// - Throws: `HandshakeError` if the message does not prove that the joiner holds the invitation.
    mutating func complete(
        _ joiner: consuming PendingJoiner, with packet: Packet, now: Period, unixMilliseconds: UInt64
    ) throws(HandshakeError) -> EstablishedSession {
        guard isOpen else { throw .invitationSpent }
        let session = try host.complete(joiner, with: packet, now: now, unixMilliseconds: unixMilliseconds)
        phase = .deciding
        return session
    }

    /// Ends the invitation with an outcome; later outcomes are ignored.
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

    /// Sends the outcome as soon as there is one; rejects a second request while another is waiting.
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
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

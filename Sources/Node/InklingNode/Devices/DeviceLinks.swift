internal import InklingVault

/// The outcome of the current or latest device link, kept until it is asked for.
struct DeviceLinks: Sendable {
    private enum Phase: Sendable {
        case none
        /// The invitation is open.
        case open
        /// A new device has used the invitation.
        case linking
        case ended(Result<ListedDevice, NodeError>)
    }

    private var phase = Phase.none
    private var waiter: Answer<ListedDevice>?

    mutating func begin() {
        phase = .open
        waiter?.send(.failure(.invitationEnded))
        waiter = nil
    }

    mutating func beginLinking() { phase = .linking }

    /// Closes the invitation to further devices; if none has used it, the link has failed.
    mutating func invitationClosed() { if case .open = phase { end(.failure(.invitationEnded)) } }

    mutating func end(_ outcome: Result<ListedDevice, NodeError>) {
        guard let waiter else { return phase = .ended(outcome) }
        waiter.send(outcome)
        self.waiter = nil
        phase = .none
    }

    /// Sends the outcome as soon as there is one.
    mutating func await(_ answer: Answer<ListedDevice>) {
        switch phase {
        case .none: answer.send(.failure(.invitationEnded))
        case .ended(let outcome):
            answer.send(outcome)
            phase = .none
        case .open, .linking:
            guard waiter == nil else { return answer.send(.failure(.invitationOpen)) }
            waiter = answer
        }
    }
}

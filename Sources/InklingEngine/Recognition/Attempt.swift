public import InklingKeys

/// One try to confirm a contact: whom to expect behind which name, and with the keys of which epoch.
public struct Attempt: Hashable, Sendable {
    /// The name that was seen; it binds the handshake.
    public let name: OpaqueServiceName
    /// Whom we expect, and the keys to use.
    public let prediction: Prediction

    /// An attempt.
    public init(name: OpaqueServiceName, prediction: Prediction) {
        self.name = name
        self.prediction = prediction
    }
}

/// Why an attempt came to nothing; each counts against the budgets alike.
public enum AttemptFailure: Hashable, Sendable {
    /// No address was found, or no link could be made.
    case unreachable
    /// The other side did not answer: the only answer a stranger gives, and gets.
    case silent
    /// We refused the other side: its answer or its certificate was not valid.
    case refused
}

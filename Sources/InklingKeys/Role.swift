/// A party of a handshake.
public enum Role: Hashable, Sendable, CaseIterable {
    /// The party that sends the first message.
    case initiator
    /// The party that answers it.
    case responder
}

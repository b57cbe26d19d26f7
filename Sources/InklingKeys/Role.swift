/// A party of a handshake.
public enum Role: String, Hashable, Sendable, CaseIterable, Codable {
    /// The party that sends the first message.
    case initiator
    /// The party that answers it.
    case responder
}

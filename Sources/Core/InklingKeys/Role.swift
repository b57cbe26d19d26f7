/// A party of a handshake, and of the link on which it runs.
public enum Role: String, Hashable, Sendable, CaseIterable, Codable {
    /// The party that sends the first message.
    case initiator
    /// The party that replies to it.
    case responder
}

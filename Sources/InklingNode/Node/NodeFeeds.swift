public import InklingEngine
public import InklingKeys

/// The streams of one node.
struct NodeFeeds: Sendable {
    let events = EventFeed<NodeEvent>()
    let presence = EventFeed<PresenceChange>()
    let messages = EventFeed<ReceivedMessage>()

    func emit(_ event: NodeEvent) { events.publish(event) }

    /// A contact is to be recognised, and nothing was seen of it.
    func begin(with user: UserID, at now: ClockReading) {
        presence.retain(PresenceChange(contact: user, from: .unseen, to: .unseen, time: now), for: user)
    }

    /// A contact is not to be recognised any more.
    func end(with user: UserID) { presence.retain(nil, for: user) }

    func changed(_ user: UserID, from: PresenceState, to: PresenceState, at now: ClockReading) {
        presence.retain(PresenceChange(contact: user, from: to, to: to, time: now), for: user)
        presence.publish(PresenceChange(contact: user, from: from, to: to, time: now))
        emit(.presence(user, to))
    }

    func received(_ text: String, from user: UserID, at now: ClockReading) {
        messages.publish(ReceivedMessage(contact: user, text: text, time: now))
        emit(.message(user, text))
    }

    func finish() {
        events.finish()
        presence.finish()
        messages.finish()
    }
}

/// A change of what is known about a contact's presence.
public struct PresenceChange: Hashable, Sendable, Codable {
    /// Whose presence.
    public let contact: UserID
    /// The state before; the same as `to` in the elements with which a subscription begins.
    public let from: PresenceState
    /// The state from now on.
    public let to: PresenceState
    /// When it changed; the clocks of the node.
    public let time: ClockReading
    /// How many changes this subscriber missed just before this one, because it was too slow; usually 0.
    public internal(set) var missed = 0

    private enum CodingKeys: String, CodingKey {
        case contact = "id"
        case from, to, time, missed
    }
}

/// A text from a contact.
public struct ReceivedMessage: Hashable, Sendable, Codable {
    /// Who sent it.
    public let contact: UserID
    /// What it says; 1 to 8,192 bytes of UTF-8.
    public let text: String
    /// When it arrived; the clocks of the node.
    public let time: ClockReading
    /// How many texts this subscriber missed just before this one, because it was too slow; usually 0.
    public internal(set) var missed = 0

    private enum CodingKeys: String, CodingKey {
        case contact = "id"
        case text, time, missed
    }
}

extension PresenceChange: FeedElement {
    func after(missing count: Int) -> [Self] {
        var changed = self
        changed.missed = count
        return [changed]
    }
}

extension ReceivedMessage: FeedElement {
    func after(missing count: Int) -> [Self] {
        var changed = self
        changed.missed = count
        return [changed]
    }
}

extension NodeEvent: FeedElement {
    func after(missing count: Int) -> [Self] { [.missed(count), self] }
}

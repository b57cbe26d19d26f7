public import InklingEngine
public import InklingKeys
public import InklingWire

/// The streams of one node.
struct NodeFeeds: Sendable {
    let events = EventFeed<NodeEvent>()
    let presence = EventFeed<PresenceChange>()
    let messages = EventFeed<ReceivedMessage>()

    let transfers = EventFeed<FileTransfer>()

    func emit(_ event: NodeEvent) { events.publish(event) }

    /// Starts reporting on a contact, whose initial state for later subscribers is `.unseen`.
    func begin(with user: UserID, at now: ClockReading) {
        presence.retain(PresenceChange(contact: user, from: .unseen, to: .unseen, time: now), for: user)
    }

    /// Stops reporting the state of a contact to later subscribers.
    func end(with user: UserID) { presence.retain(nil, for: user) }

    func changed(_ user: UserID, from: PresenceState, to: PresenceState, at now: ClockReading) {
        presence.retain(PresenceChange(contact: user, from: to, to: to, time: now), for: user)
        presence.publish(PresenceChange(contact: user, from: from, to: to, time: now))
        emit(.presence(user, to))
    }

    /// Passes a text to the subscribers that only show texts.
    func received(_ text: String, _ id: TextID, from user: UserID, at now: ClockReading) {
        _ = messages.offer(ReceivedMessage(id: id, contact: user, text: text, time: now))
        _ = events.offer(.message(user, text))
    }

    func finish() {
        events.finish()
        presence.finish()
        messages.finish()
        transfers.finish()
    }
}

/// A change of a contact's presence state.
public struct PresenceChange: Hashable, Sendable, Codable {
    /// The contact whose state has changed.
    public let contact: UserID
    /// The previous state; equal to `to` in the elements with which a subscription starts.
    public let from: PresenceState
    /// The new state.
    public let to: PresenceState
    /// The time of the change, by the node's clocks.
    public let time: ClockReading
    /// The number of changes just before this one that the subscriber was too slow to receive; usually 0.
    public internal(set) var missed = 0

    private enum CodingKeys: String, CodingKey {
        case contact = "id"
        case from, to, time, missed
    }
}

/// A text message from a contact.
public struct ReceivedMessage: Hashable, Sendable, Codable {
    /// The identifier of the message.
    public let id: TextID
    /// The sender.
    public let contact: UserID
    /// The text, 1 to 8,192 bytes of UTF-8.
    public let text: String
    /// The time of arrival, by the node's clocks.
    public let time: ClockReading
    /// The number of messages just before this one that the subscriber was too slow to receive; usually 0.
    public internal(set) var missed = 0

    private enum CodingKeys: String, CodingKey {
        case id = "message"
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

public import InklingKeys
internal import InklingVault
public import InklingWire

/// A text message in the store of a node, without its text.
public struct StoredMessage: Hashable, Sendable {
    /// The state of a message.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// It waits for the contact's device.
        case queued
        /// The contact's device has stored it.
        case delivered
        /// It came from the contact, and no application has acknowledged it.
        case unread
        /// It came from the contact, and an application has acknowledged it.
        case read
    }

    /// The identifier, the same on both sides and for every device of the contact.
    public let id: TextID
    /// The contact.
    public let contact: UserID
    /// The contact's device.
    public let device: DeviceIndex
    /// The state of the message.
    public let state: State
    /// The time at which the message was written, in Unix seconds by the sender's clock; 0 if unknown.
    public let writtenAt: UInt64
    /// The time at which the message expires, was delivered or was received, depending on its state, in Unix seconds.
    public let time: UInt64
    /// The length of the text in bytes; 0 if the text is no longer kept.
    public let byteCount: Int
}

/// A text message for the application to process.
public struct IncomingMessage: Hashable, Sendable {
    /// The identifier. An application that stores it together with the message's effect processes each message exactly
    /// once; any other processes each at least once.
    public let id: TextID
    /// The sender.
    public let contact: UserID
    /// The sender's device.
    public let device: DeviceIndex
    /// The time at which the message was written, in Unix seconds by the sender's clock; 0 if unknown.
    public let writtenAt: UInt64
    /// The time at which the message arrived, in Unix seconds.
    public let receivedAt: UInt64
    /// The text, 1 to 8,192 bytes of UTF-8.
    public let text: String
}

/// The messages that no application has acknowledged, in each device's sending order, followed by those that arrive
/// later.
///
/// ```swift
/// for await message in node.incoming {
///     try database.store(message.text, unlessPresent: message.id)
///     try await node.acknowledge(message.id, from: message.contact)
/// }
/// ```
///
/// After a restart it begins again with the unacknowledged ones. It ends when the node has stopped.
public struct IncomingMessages: AsyncSequence, Sendable {
    public typealias Element = IncomingMessage
    public typealias Failure = Never

    let node: Node

    /// An iterator over the messages.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let node: Node
        private var position = IncomingPosition()

        fileprivate init(node: Node) { self.node = node }

        public mutating func next() async -> IncomingMessage? { await next(isolation: nil) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> IncomingMessage? {
            while let (place, message) = await node.nextIncoming(after: position) {
                position.arrivals[KnownDevice(user: place.contact, device: place.device)] = place.number
                // A message that was acknowledged or removed in the meantime may have no text any more.
                if let message { return message }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(node: node) }
}

/// The last arrival of each device that a reader has seen.
struct IncomingPosition: Sendable {
    var arrivals: [KnownDevice: UInt64] = [:]
}

import InklingAccess
import InklingJSON
import InklingKeys
import InklingNode
import InklingTerminal
import InklingWire

// Text messages: send, list, show, acknowledge and remove them.

extension Request {
    /// Queues a text that expires after `expires` seconds, and waits `wait` seconds for its acknowledgement.
    struct Send: NodeRequest {
        static let name = "send"
        /// The default lifetime of a queued text in seconds: 30 days.
        static let defaultExpiry: UInt64 = 30 * 86_400

        let contact: String
        let text: String
        var expires: UInt64?
        var wait: UInt64?

        func run(on served: ServedNode, for peer: Peer<DeliveredFact>) async throws(Failure) {
            let contact = try await served.contact(contact)
            let expires = min(expires ?? Self.defaultExpiry, 366 * 86_400)
            let id = try await nodeFailure { () async throws(NodeError) in
                try await served.node.queue(text, for: contact.user, expiringAfter: .seconds(expires))
            }
            let wait = wait ?? 0
            var isDelivered = false
            do throws(NodeError) {
                // A contact nearby acknowledges it within milliseconds.
                let near: Duration = contact.isReachable ? .seconds(2) : .zero
                try await served.node.awaitDelivery(of: id, within: max(near, .seconds(wait)))
                isDelivered = true
            } catch {
                if wait > 0 || error != .notAcknowledged { throw Failure(error) }
            }
            await peer.take(DeliveredFact(delivered: isDelivered, contact: contact.name, message: id.description))
        }
    }

    /// Reports the stored messages with one contact, or with all.
    struct Messages: NodeRequest {
        static let name = "messages"
        let contact: String?

        func run(on served: ServedNode, for peer: Peer<MessageFact>) async throws(Failure) {
            var user: UserID?
            if let contact { user = try await served.contact(contact).user }
            for message in try await served.messages(with: user) { await peer.take(await served.fact(message)) }
        }
    }

    /// Reports one message with its text, by the beginning of its id.
    struct Message: NodeRequest {
        static let name = "message"
        let message: String

        func run(on served: ServedNode, for peer: Peer<MessageFact>) async throws(Failure) {
            let found = try await served.message(message)
            var fact = await served.fact(found)
            fact.text = try await nodeFailure { () async throws(NodeError) in
                try await served.node.text(of: found.id)
            }
            await peer.take(fact)
        }
    }

    /// Marks a message, and all earlier ones of the same device, as read.
    struct Acknowledge: NodeRequest {
        static let name = "acknowledge"
        let message: String

        func run(on served: ServedNode, for peer: Peer<Never>) async throws(Failure) {
            let found = try await served.message(message)
            try await nodeFailure { () async throws(NodeError) in
                try await served.node.acknowledge(found.id, from: found.contact)
            }
        }
    }

    /// Withdraws a queued message, or removes another one from the list.
    struct RemoveMessage: NodeRequest {
        static let name = "remove-message"
        let message: String

        func run(on served: ServedNode, for peer: Peer<Never>) async throws(Failure) {
            let id = try await served.message(message).id
            try await nodeFailure { () async throws(NodeError) in try await served.node.removeMessage(id) }
        }
    }
}

extension ServedNode {
    fileprivate func messages(with user: UserID?) async throws(Failure) -> [StoredMessage] {
        try await nodeFailure { () async throws(NodeError) in try await node.storedMessages(with: user) }
    }

    /// Returns the message whose id begins with these at least 8 digits.
    fileprivate func message(_ id: String) async throws(Failure) -> StoredMessage {
        let all = try await messages(with: nil)
        let matches = id.utf8.count >= 8 ? all.filter { $0.id.description.hasPrefix(id) } : []
        guard let match = matches.first else { throw Failure(.unknownMessage) }
        guard Set(matches.map(\.id)).count == 1 else {
            throw Failure(
                .badData, "\(matches.count) messages have ids that begin with \(id)", remedy: "Give more digits.")
        }
        return match
    }

    fileprivate func fact(_ message: StoredMessage) async -> MessageFact {
        MessageFact(message, of: await name(of: message.contact) ?? "a former contact")
    }
}

/// A text that was queued, and whether the contact's node has acknowledged it.
struct DeliveredFact: NodeFact, Hashable {
    static let kind = "delivered"

    let delivered: Bool
    let contact: String
    let message: String

    /// The human-readable line.
    var line: String {
        let contact = printable(contact)
        return delivered
            ? "Delivered to \(contact).\n" : "Queued for \(contact) (message \(message.prefix(8))).\n"
    }
}

/// A stored message.
struct MessageFact: NodeFact, Hashable {
    static let kind = "message"

    /// The identifier, 32 hexadecimal digits.
    let message: String
    let contact: String
    let id: String
    let device: UInt8
    let state: StoredMessage.State
    /// Unix seconds by the sender's clock; 0 if unknown.
    let written: UInt64
    /// The time of its expiry, delivery or receipt, depending on its state, in Unix seconds.
    let time: UInt64
    let bytes: Int
    /// The text, only in the answer to a request for one message.
    var text: String?

    init(_ message: StoredMessage, of contact: String) {
        self.message = message.id.description
        self.contact = contact
        id = message.contact.octets.description
        device = message.device.number
        state = message.state
        written = message.writtenAt
        time = message.time
        bytes = message.byteCount
    }

    /// The human-readable line, without the text.
    var line: String {
        let direction = state == .queued || state == .delivered ? "to" : "from"
        let what =
            switch state {
            case .queued: "queued, expires \(timestamp(time))"
            case .delivered: "delivered \(timestamp(time))"
            case .unread: "unread, received \(timestamp(time))"
            case .read: "read, received \(timestamp(time))"
            }
        return "\(message.prefix(8))  \(direction) \(printable(contact))  \(what)\n"
    }

    /// The text on lines of its own, indented, so that it cannot look like another message.
    var words: String {
        guard let text else { return "    (its text is not kept)\n" }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \(printable(String($0)))\n" }
            .joined()
    }
}

import InklingKeys
import InklingNode
import InklingTerminal
import InklingWire

// Requests about messages.
extension ControlHandler {
    func send(
        _ text: String, to name: String, expires: UInt64, wait: UInt64, _ peer: some ControlPeer
    ) async throws(Failure) {
        let contact = try await contact(name)
        let id = try await nodeFailure { () async throws(NodeError) in
            try await node.queue(text, for: contact.user, expiringAfter: .seconds(min(expires, 366 * 86_400)))
        }
        var isDelivered = false
        do throws(NodeError) {
            // A contact nearby acknowledges it within milliseconds.
            let near: Duration = contact.isReachable ? .seconds(2) : .zero
            try await node.awaitDelivery(of: id, within: max(near, .seconds(wait)))
            isDelivered = true
        } catch {
            if wait > 0 || error != .notAcknowledged { throw Failure(error) }
        }
        await peer.take(
            .delivered(DeliveredFact(delivered: isDelivered, contact: contact.name, message: id.description)))
    }

    func messages(with name: String?, _ peer: some ControlPeer) async throws(Failure) {
        var user: UserID?
        if let name { user = try await contact(name).user }
        for message in try await stored(with: user) { await peer.take(.message(await fact(message))) }
    }

    func message(_ id: String) async throws(Failure) -> MessageFact {
        let message = try await found(id)
        let text = try await nodeFailure { () async throws(NodeError) in try await node.text(of: message.id) }
        return await fact(message, text: text)
    }

    func acknowledge(_ id: String) async throws(Failure) {
        let message = try await found(id)
        try await nodeFailure { () async throws(NodeError) in
            try await node.acknowledge(message.id, from: message.contact)
        }
    }

    func removeMessage(_ id: String) async throws(Failure) {
        let message = try await found(id)
        try await nodeFailure { () async throws(NodeError) in try await node.removeMessage(message.id) }
    }

    private func stored(with user: UserID?) async throws(Failure) -> [StoredMessage] {
        try await nodeFailure { () async throws(NodeError) in try await node.storedMessages(with: user) }
    }

    /// Returns the message whose id begins with these at least 8 digits.
    private func found(_ id: String) async throws(Failure) -> StoredMessage {
        let all = try await stored(with: nil)
        let matches = id.utf8.count >= 8 ? all.filter { $0.id.description.hasPrefix(id) } : []
        guard let match = matches.first else { throw Failure(.unknownMessage) }
        guard Set(matches.map(\.id)).count == 1 else {
            throw Failure(
                .badData, "\(matches.count) messages have ids that begin with \(id)", remedy: "Give more digits.")
        }
        return match
    }

    private func fact(_ message: StoredMessage, text: String? = nil) async -> MessageFact {
        let name = await node.contacts().first { $0.user == message.contact }?.name ?? "a former contact"
        return MessageFact(message, of: name, text: text)
    }
}

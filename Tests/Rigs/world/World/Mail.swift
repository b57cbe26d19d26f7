package import InklingKeys
package import InklingNode

/// How texts go from node to node. The watch judges them through this alone, so that a queue that survives restarts can
/// take the place of the texts that are sent at once.
package protocol Mail: Sendable {
    /// Whether a text is delivered once even if the receiver restarts between the delivery and the receipt.
    var isOnceAcrossRestarts: Bool { get }
    /// Sends a text, and returns whether a receipt has come.
    func send(_ text: String, from node: Node, to user: UserID) async -> Bool
    /// The text that an event delivers to the application, with its sender; nil for other events.
    func delivery(_ event: NodeEvent) -> (sender: UserID, text: String)?
}

/// Texts that are sent while a session is open, with a receipt for each.
package struct PromptTexts: Mail {
    package let isOnceAcrossRestarts = false

    package init() {}

    package func send(_ text: String, from node: Node, to user: UserID) async -> Bool {
        do {
            try await node.send(text, to: user)
            return true
        } catch {
            return false
        }
    }

    package func delivery(_ event: NodeEvent) -> (sender: UserID, text: String)? {
        if case .message(let sender, let text) = event { (sender, text) } else { nil }
    }
}

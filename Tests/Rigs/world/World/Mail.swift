package import InklingKeys
package import InklingNode

/// How texts go from node to node. The watch judges them through this alone, so that a queue that survives restarts can
/// take the place of the texts that are sent at once.
package protocol Mail: Sendable {
    /// Whether a text is delivered once even if the receiver restarts between the delivery and the receipt.
    var isOnceAcrossRestarts: Bool { get }
    /// Sends a text, and returns whether a receipt has come.
    func send(_ text: String, from node: Node, to user: UserID) async -> Bool
    /// The texts that an event delivers to the application, with their sender.
    func deliveries(_ event: NodeEvent) -> [(sender: UserID, text: String)]
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

    package func deliveries(_ event: NodeEvent) -> [(sender: UserID, text: String)] {
        if case .message(let sender, let text) = event { [(sender, text)] } else { [] }
    }
}

/// Mail with a planted fault: every third text reaches the application twice, or never.
struct FaultyMail: Mail {
    let mail: any Mail
    let fault: PlantedFault

    var isOnceAcrossRestarts: Bool { mail.isOnceAcrossRestarts }

    func send(_ text: String, from node: Node, to user: UserID) async -> Bool {
        await mail.send(text, from: node, to: user)
    }

    func deliveries(_ event: NodeEvent) -> [(sender: UserID, text: String)] {
        let delivered = mail.deliveries(event)
        guard let text = delivered.first?.text, Watch.number(of: text).map({ $0 % 3 == 0 }) ?? false else {
            return delivered
        }
        return fault == .deliversTwice ? delivered + delivered : []
    }
}

package import InklingVault
internal import InklingWire

/// A table of a node that peers could make grow, with its limit.
package struct TableSize: Hashable, Sendable {
    /// The kind of entries.
    package let name: String
    /// The current number of entries.
    package let count: Int
    /// The maximum number of entries.
    package let limit: Int
}

extension Node {
    /// Returns the sizes of the tables that grow with what peers send, for simulations that watch their limits.
    package func sizes() -> [TableSize] {
        takeWaitingInputs()
        let devices = max(contents.contacts.count, 1) * 8
        return [
            // Crossing calls leave two sessions with a device for two seconds, as does a hand-over.
            TableSize(name: "sessions", count: channels.count, limit: devices * 4),
            TableSize(name: "links of tags", count: dialer.heldCount, limit: 16),
            TableSize(name: "offered links", count: dialer.offeredCount, limit: devices * 2),
            TableSize(name: "first contacts", count: firstContacts.machineCount, limit: contents.contacts.count + 64),
            TableSize(
                name: "stored first messages", count: contents.answeredMessages.count,
                limit: 2 * ReplayCache.limit),
        ]
    }

    /// The secrets of the node, which a simulated thief takes.
    package var copyOfContents: VaultContents { contents }
}

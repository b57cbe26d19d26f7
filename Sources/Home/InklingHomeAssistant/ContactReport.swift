/// The state of one contact that Home Assistant may learn.
package struct ContactReport: Hashable, Sendable {
    /// The id under which the broker knows the contact.
    package let id: OpaqueID
    /// The user's name for the contact.
    package let name: String
    /// Whether the contact has arrived and not left, after the node's own delays.
    package let isHome: Bool
    /// The node's confidence that the contact is near, 0 to 100.
    package let confidence: Int
    /// The time at which the contact was last seen, as RFC 3339 in UTC; `nil` if never.
    package let lastSeen: String?
    /// The room whose antennas hear the contact best, 1 to 64 bytes; `nil` if none does.
    package let room: String?
    /// Whether the node can currently notice the contact.
    package let isWatched: Bool

    /// Creates a report and clamps the confidence to its range.
    package init(
        id: OpaqueID, name: String, isHome: Bool, confidence: Int, lastSeen: String?, room: String? = nil,
        isWatched: Bool
    ) {
        self.id = id
        self.name = name
        self.isHome = isHome
        self.confidence = min(max(confidence, 0), 100)
        self.lastSeen = lastSeen
        self.room = room
        self.isWatched = isWatched
    }
}

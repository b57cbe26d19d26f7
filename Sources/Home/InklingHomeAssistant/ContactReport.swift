/// What a node knows of one contact, as far as Home Assistant learns it.
package struct ContactReport: Hashable, Sendable {
    /// The id of the contact towards the broker.
    package let id: OpaqueID
    /// What the user calls the contact.
    package let name: String
    /// Whether the contact has arrived and not left, by the node's own delays.
    package let isHome: Bool
    /// How sure the node is that the contact is near, 0 to 100.
    package let confidence: Int
    /// When the contact was last seen, as RFC 3339 in UTC; nil before the first time.
    package let lastSeen: String?
    /// The room in which antennas hear the contact best, 1 to 64 bytes; nil if none does.
    package let room: String?
    /// Whether the node can notice the contact now.
    package let isWatched: Bool

    /// Creates a report; the confidence is put into its range.
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

/// The topics of one node.
struct HomeTopics: Hashable, Sendable {
    /// The topics below that of a contact.
    enum Leaf: String, CaseIterable {
        case availability, presence, tracker, facts, room, event

        /// Those that the broker keeps.
        static let retained: [Leaf] = [.availability, .presence, .tracker, .facts, .room]
    }

    /// What Home Assistant was told to look below, usually `homeassistant`.
    let discoveryPrefix: String
    let node: OpaqueID

    /// Where the description of the device is.
    var discovery: String { "\(discoveryPrefix)/device/inkling_\(node)/config" }

    /// Where Home Assistant says that it has started.
    var status: String { "\(discoveryPrefix)/status" }

    /// Whether the node is there.
    var availability: String { "inkling/\(node)/availability" }

    /// All topics of contacts.
    var ofContacts: String { "inkling/\(node)/+/+" }

    func of(_ contact: OpaqueID, _ leaf: Leaf) -> String { "inkling/\(node)/\(contact)/\(leaf.rawValue)" }

    /// The contact that a topic is about, and the topic below that of the contact; nil for a topic of another form.
    func contact(of topic: String) -> (OpaqueID, Leaf)? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "inkling", parts[1] == node.description,
            let leaf = Leaf(rawValue: String(parts[3])), let contact = OpaqueID(String(parts[2]))
        else { return nil }
        return (contact, leaf)
    }
}

/// The topics of one node.
struct HomeTopics: Hashable, Sendable {
    /// The topic levels below a contact.
    enum Leaf: String, CaseIterable {
        case availability, presence, tracker, facts, room, event

        /// The topics whose messages the broker retains.
        static let retained: [Leaf] = [.availability, .presence, .tracker, .facts, .room]
    }

    /// The prefix that Home Assistant is configured to search, usually `homeassistant`.
    let discoveryPrefix: String
    let node: OpaqueID

    /// The topic of the device's description.
    var discovery: String { "\(discoveryPrefix)/device/inkling_\(node)/config" }

    /// The topic on which Home Assistant announces its start.
    var status: String { "\(discoveryPrefix)/status" }

    /// The topic for whether the node is available.
    var availability: String { "inkling/\(node)/availability" }

    /// The filter for all topics of contacts.
    var ofContacts: String { "inkling/\(node)/+/+" }

    func of(_ contact: OpaqueID, _ leaf: Leaf) -> String { "inkling/\(node)/\(contact)/\(leaf.rawValue)" }

    /// Returns the contact and the last level of a topic; `nil` for a topic of another form.
    func contact(of topic: String) -> (OpaqueID, Leaf)? {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "inkling", parts[1] == node.description,
            let leaf = Leaf(rawValue: String(parts[3])), let contact = OpaqueID(String(parts[2]))
        else { return nil }
        return (contact, leaf)
    }
}

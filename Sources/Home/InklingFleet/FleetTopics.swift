internal import InklingKeys

/// The topics of a fleet (`Specs/fleet.md`).
package struct FleetTopics: Hashable, Sendable {
    /// The name of the fleet.
    package let fleet: String

    /// Creates the topics of a fleet; `nil` unless the name is 1 to 32 lower-case letters, digits and hyphens.
    package init?(fleet: String) {
        guard Self.isName(fleet) else { return nil }
        self.fleet = fleet
    }

    /// Returns whether a text is a valid name for a fleet or an antenna.
    package static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private var root: String { "inkling/fleet/\(fleet)" }

    /// The topic to which antennas publish, and the subscription that the matchers share.
    package var sightings: String { "\(root)/sighting" }
    package var sharedSightings: String { "$share/inkling-\(fleet)/\(sightings)" }
    /// The topic to which matchers publish.
    package var matches: String { "\(root)/match" }
    /// The filter for all leases. Each has its own topic, so that none replaces another.
    package var leases: String { "\(root)/lease/+" }
    package func lease(_ fence: Fence) -> String { "\(root)/lease/\(fence.number)-\(fence.holder)" }

    /// Returns the topic on which a source receives acknowledgements.
    package func acknowledgements(of source: String) -> String { "\(root)/ack/\(source)" }

    /// The filter for all contact records.
    package var contacts: String { "\(root)/contact/+/+" }

    /// Returns the topic of a contact's record written under a fence. It has a digest of the label, because users
    /// choose the label; the payload has the label itself.
    package func contact(_ label: String, _ fence: Fence) -> String {
        let digest = sha256 { $0.append([UInt8](label.utf8).span) }.first
        return "\(root)/contact/\(digest.description.prefix(16))/\(fence.number)-\(fence.holder)"
    }

    /// Returns whether a topic belongs to a lease, or to a contact record.
    package func isLease(_ topic: String) -> Bool { topic.hasPrefix("\(root)/lease/") }
    package func isContact(_ topic: String) -> Bool { topic.hasPrefix("\(root)/contact/") }
}

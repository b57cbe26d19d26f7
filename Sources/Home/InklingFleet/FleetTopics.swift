internal import InklingKeys

/// The topics of a fleet (`Specs/fleet.md`).
package struct FleetTopics: Hashable, Sendable {
    /// The name of the fleet.
    package let fleet: String

    /// Creates the topics of a fleet; nil for a name that is not 1 to 32 lower-case letters, digits and hyphens.
    package init?(fleet: String) {
        guard Self.isName(fleet) else { return nil }
        self.fleet = fleet
    }

    /// Whether a text can be the name of a fleet or of an antenna.
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

    /// Where antennas publish, and the subscription that the matchers share.
    package var sightings: String { "\(root)/sighting" }
    package var sharedSightings: String { "$share/inkling-\(fleet)/\(sightings)" }
    /// Where matchers publish.
    package var matches: String { "\(root)/match" }
    /// Where the leases are kept: each in a topic of its own, so that none replaces another.
    package var leases: String { "\(root)/lease/+" }
    package func lease(_ fence: Fence) -> String { "\(root)/lease/\(fence.number)-\(fence.holder)" }

    /// Where a source hears what was stored.
    package func acknowledgements(of source: String) -> String { "\(root)/ack/\(source)" }

    /// All records.
    package var contacts: String { "\(root)/contact/+/+" }

    /// Where the record of a contact is kept that was written under a fence. The label is in the payload: topics have no letters
    /// of people's choice.
    package func contact(_ label: String, _ fence: Fence) -> String {
        let digest = sha256 { $0.append([UInt8](label.utf8).span) }.first
        return "\(root)/contact/\(digest.description.prefix(16))/\(fence.number)-\(fence.holder)"
    }

    /// Whether a topic is that of a lease, or of a record.
    package func isLease(_ topic: String) -> Bool { topic.hasPrefix("\(root)/lease/") }
    package func isContact(_ topic: String) -> Bool { topic.hasPrefix("\(root)/contact/") }
}

/// One check that `inkling-kit conform live` makes of a running node (`Specs/conformance.md`).
public struct LiveCheck: Hashable, Sendable {
    /// A prerequisite of a check.
    public enum Need: String, Sendable {
        case discovery = "records on the network"
        case address = "an address to connect to"
        case grant = "a grant"
        case boundary = "the end of an epoch"
        case grantAndBoundary = "a grant and the end of an epoch"
        case invitation = "an invitation, in a run that withholds a message"

        /// Whether only a contact can make the check.
        public var isGrant: Bool { self == .grant || self == .grantAndBoundary }
        /// Whether the run must wait for the end of an epoch.
        public var isBoundary: Bool { self == .boundary || self == .grantAndBoundary }
    }

    /// The parts of a live run, in order.
    public enum Part: String, Sendable, CaseIterable {
        case discovery = "live-discovery"
        case silence = "live-silence"
        case contact = "live-contact"
        case rotation = "live-rotation"
        case firstContact = "live-first-contact"

        /// The page that specifies the part.
        var page: String {
            switch self {
            case .discovery: "Specs/mdns.md"
            case .silence, .contact: "Specs/handshake.md"
            case .rotation: "Specs/rotation.md"
            case .firstContact: "Specs/first-contact.md"
            }
        }
    }

    /// The id; unique, and never reused for another check.
    public let id: String
    public let part: Part
    public let need: Need
    public let requirements: [String]
    /// The requirement on the node, in words.
    public let sentence: String
    /// The action of the runner, in words.
    public let action: String

    private init(
        _ id: String, _ part: Part, _ need: Need, _ requirements: [String], _ sentence: String, by action: String
    ) {
        self.id = id
        self.part = part
        self.need = need
        self.requirements = requirements
        self.sentence = sentence
        self.action = action
    }

    /// Every check of an ordinary run, in the order of a report.
    public static let all: [LiveCheck] = discovery + silence + contact + rotation

    /// Returns the check with this id, or `nil`.
    public static func named(_ id: String) -> LiveCheck? { (all + withheld).first { $0.id == id } }

    private static let watching = "watched multicast DNS and asked for the records"

    private static let discovery: [LiveCheck] = [
        LiveCheck(
            "live-discovery-name", .discovery, .discovery, ["INK-ID-001"],
            "the instance name is 32 lower-case hexadecimal digits", by: watching),
        LiveCheck(
            "live-discovery-host", .discovery, .discovery, ["INK-ID-002"],
            "the host name is 32 lower-case hexadecimal digits and .local", by: watching),
        LiveCheck(
            "live-discovery-records", .discovery, .discovery, ["INK-MDN-001"],
            "there are PTR, SRV, TXT and address records, and no others", by: watching),
        LiveCheck(
            "live-discovery-ttl", .discovery, .discovery, ["INK-MDN-002"],
            "the time to live is 120 s, and 0 in a goodbye", by: watching),
        LiveCheck(
            "live-discovery-text", .discovery, .discovery, ["INK-MDN-003"], "TXT is exactly v=1", by: watching),
        LiveCheck(
            "live-discovery-service", .discovery, .discovery, ["INK-MDN-004"],
            "SRV has priority 0, weight 0 and a port", by: watching),
        LiveCheck(
            "live-discovery-unique", .discovery, .discovery, ["INK-MDN-011"],
            "PTR is shared, and every other record is unique", by: watching),
        LiveCheck(
            "live-discovery-addresses", .discovery, .discovery, ["INK-MDN-007", "INK-MDN-009", "INK-MDN-010"],
            "at most four addresses of a family, none of loopback or made from the hardware address", by: watching),
        LiveCheck(
            "live-discovery-machine", .discovery, .discovery, ["INK-MDN-005"],
            "no name of the machine or of a person is sent", by: watching),
        LiveCheck(
            "live-discovery-meta", .discovery, .discovery, ["INK-MDN-006"],
            "questions for the list of services and for reverse zones are not answered",
            by: "asked for _services._dns-sd._udp.local and for the reverse names of its addresses"),
        LiveCheck(
            "live-discovery-questions", .discovery, .discovery, ["INK-MDN-017"],
            "it asks only for PTR of the type, SRV, A and AAAA", by: "watched its questions"),
    ]

    private static let silence: [LiveCheck] = [
        probe("nothing", ["INK-HSK-033"], "nothing is sent", by: "connected and sent nothing"),
        probe("byte", ["INK-HSK-033"], "one byte is sent", by: "sent one byte"),
        probe("part", ["INK-HSK-033"], "half a first message is sent", by: "sent the first 62 bytes of 131"),
        probe("empty", ["INK-PKT-026", "INK-PKT-027"], "an empty packet is announced", by: "sent the length 0"),
        probe(
            "long", ["INK-PKT-022", "INK-PKT-027"], "a packet of 65,535 bytes is announced",
            by: "sent 4,098 bytes of one"),
        probe("http", ["INK-PKT-026", "INK-PKT-027"], "an HTTP request is sent", by: "sent GET / HTTP/1.1"),
        probe(
            "tls", ["INK-PKT-026", "INK-PKT-027"], "a TLS ClientHello is sent",
            by: "sent the beginning of a ClientHello"),
        probe("type", ["INK-PKT-020", "INK-PKT-027"], "the packet is a record", by: "sent 129 bytes of type 9"),
        probe(
            "sequence", ["INK-PKT-020", "INK-PKT-027"], "the sequence is not 0", by: "sent a message 1 with sequence 1"),
        probe(
            "gate", ["INK-HSK-021", "INK-HSK-031"], "the gate of message 1 is wrong",
            by: "sent a message 1 of random bytes"),
        probe(
            "again", ["INK-HSK-021", "INK-HSK-031"], "the same message is repeated", by: "sent the same 131 bytes again"
        ),
        probe(
            "invitation", ["INK-HSK-051"], "a first contact is started without an invitation",
            by: "sent a message 1 of first contact of random bytes"),
        probe(
            "device-link", ["INK-HSK-051"], "a device link is started with a node that has none open",
            by: "sent a message 1 of device link of random bytes"),
        probe(
            "half-closed", ["INK-HSK-031"], "the initiator ends its side of the connection",
            by: "sent a message 1 of random bytes and the end of the stream"),
        LiveCheck(
            "live-silence-alike", .silence, .address, ["INK-HSK-021", "INK-HSK-031"],
            "every reason looks the same to a stranger", by: "compared how and when the connections ended"),
        probe(
            "static-key", ["INK-HSK-021", "INK-HSK-031"], "message 1 is meant for another key",
            by: "sent a message 1 with a valid gate, made for another static key", needs: .grant),
        probe(
            "unknown", ["INK-HSK-021", "INK-HSK-031"], "the initiator is not a contact",
            by: "sent a valid message 1 from an unknown static key", needs: .grant),
        probe(
            "low-order", ["INK-HSK-021", "INK-HSK-031"], "the ephemeral key is a point of small order",
            by: "sent a message 1 with a valid gate and an ephemeral key of zeros", needs: .grant),
        probe(
            "payload", ["INK-HSK-021", "INK-HSK-031"], "the payload does not open",
            by: "sent a message 1 with a valid gate and its last byte changed", needs: .grant),
        probe(
            "next-epoch", ["INK-HSK-022", "INK-ID-011"], "message 1 is of the next epoch",
            by: "sent a message 1 with the keys of the next epoch", needs: .grant),
        probe(
            "replay", ["INK-HSK-024"], "a message 1 that was accepted is repeated",
            by: "sent the bytes of its own message 1 again", needs: .grant),
        probe(
            "old-epoch", ["INK-HSK-022", "INK-ID-011"], "message 1 is of the epoch before, and the allowance is over",
            by: "sent a message 1 with the keys of the epoch before", needs: .grantAndBoundary),
    ]

    private static let contact: [LiveCheck] = [
        LiveCheck(
            "live-contact-name", .contact, .grant, ["INK-ID-001"], "the instance name is the predicted one",
            by: "compared it with the prediction from the grant"),
        LiveCheck(
            "live-contact-host", .contact, .grant, ["INK-ID-002"], "the host name is the predicted one",
            by: "compared it with the prediction from the grant"),
        LiveCheck(
            "live-contact-handshake", .contact, .grant,
            ["INK-HSK-001", "INK-HSK-002", "INK-HSK-005", "INK-ID-005", "INK-ID-006"],
            "message 2 is valid and proves the key of the certificate",
            by: "started a handshake with the keys of the epoch"),
        LiveCheck(
            "live-contact-hello", .contact, .grant, ["INK-REC-002", "INK-REC-003"], "the first record is HELLO",
            by: "sent HELLO and read the first record"),
        LiveCheck(
            "live-contact-receipt", .contact, .grant, ["INK-SYN-021"], "each text gets exactly one receipt",
            by: "sent a text"),
    ]

    private static let rotation: [LiveCheck] = [
        LiveCheck(
            "live-rotation-name", .rotation, .boundary, ["INK-ROT-001", "INK-ROT-002"],
            "a new name replaces the old one", by: "watched the end of an epoch"),
        LiveCheck(
            "live-rotation-host", .rotation, .boundary, ["INK-ID-002", "INK-ROT-007"],
            "the host name changes too", by: "watched the end of an epoch"),
        LiveCheck(
            "live-rotation-port", .rotation, .boundary, ["INK-ROT-007"], "the port changes too",
            by: "watched the end of an epoch"),
        LiveCheck(
            "live-rotation-together", .rotation, .boundary, ["INK-ROT-007"],
            "all values change at the same time, and only once", by: "watched the end of an epoch"),
        LiveCheck(
            "live-rotation-silence", .rotation, .boundary, ["INK-ROT-002"],
            "nothing is sent between the boundary and the new name", by: "watched the end of an epoch"),
        LiveCheck(
            "live-rotation-gap", .rotation, .boundary, ["INK-ROT-003"],
            "the new name appears 0 to 10 s after the boundary", by: "watched the end of an epoch"),
        LiveCheck(
            "live-rotation-goodbye", .rotation, .boundary, ["INK-MDN-015", "INK-ROT-005"],
            "a goodbye withdraws every record in the last second, or there is none", by: "watched the end of an epoch"),
        LiveCheck(
            "live-rotation-old-name", .rotation, .boundary, ["INK-ID-014"],
            "questions for the old name and the old host are not answered", by: "asked for them after the boundary"),
        LiveCheck(
            "live-rotation-old-port", .rotation, .boundary, ["INK-ROT-007"], "the old port is closed",
            by: "connected to it after the boundary"),
        LiveCheck(
            "live-rotation-strangers", .rotation, .boundary, ["INK-ROT-006"],
            "a link without a session ends before the boundary", by: "held a connection over the boundary"),
        LiveCheck(
            "live-rotation-sessions", .rotation, .grantAndBoundary, ["INK-ROT-010"],
            "a session ends before the boundary", by: "held a session over the boundary"),
        LiveCheck(
            "live-rotation-predicted", .rotation, .grantAndBoundary, ["INK-ID-001", "INK-ID-002"],
            "the new name and the new host are the predicted ones",
            by: "compared them with the prediction from the grant"),
        LiveCheck(
            "live-rotation-confirm", .rotation, .grantAndBoundary, ["INK-HSK-022", "INK-ROT-010"],
            "contacts confirm each other again", by: "started a handshake with the keys of the new epoch"),
    ]

    /// The checks of runs that withhold a message of a first contact, one per message.
    public static let withheld: [LiveCheck] = [
        LiveCheck(
            "live-first-contact-accept", .firstContact, .invitation, ["INK-FCT-008", "INK-FCT-020"],
            "nothing but ACCEPT is sent to a joiner that does not accept", by: "joined an invitation and said nothing"),
        LiveCheck(
            "live-first-contact-hello", .firstContact, .invitation, ["INK-FCT-008", "INK-REC-002"],
            "no grant is sent to a joiner that says no HELLO", by: "joined an invitation and sent ACCEPT"),
        LiveCheck(
            "live-first-contact-grant", .firstContact, .invitation, ["INK-FCT-021", "INK-FCT-022"],
            "the first grant lasts at most 48 periods", by: "joined an invitation, sent ACCEPT and HELLO, and no grant"),
    ]

    private static func probe(
        _ id: String, _ requirements: [String], _ reason: String, by action: String, needs need: Need = .address
    ) -> LiveCheck {
        LiveCheck(
            "live-silence-\(id)", .silence, need, requirements, "silence, and a reset, when \(reason)", by: action)
    }
}

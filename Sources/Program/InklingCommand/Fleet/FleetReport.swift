import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A report of a part of a fleet.
struct FleetFact: Codable, Hashable, Sendable {
    /// The kind of an event.
    enum Event: String, Codable, Hashable, Sendable {
        case connected, disconnected, refused, dropped
        /// Sightings were given up.
        case lost
        /// This process holds the lease, or no longer does.
        case holding
        case standingBy = "standing-by"
        case arrived, left
    }

    let event: Event
    /// The time in UTC.
    let time: String
    /// The reason in words; null without one.
    var reason: String?
    /// The number of messages or sightings since the start; null for other events.
    var count: UInt64?
    /// The number of the lease; null for other events.
    var number: UInt64?
    /// The contact and its visit; null for other events.
    var contact: String?
    var visit: UInt64?

    /// The human-readable line.
    var sentence: String {
        let name = contact.map { printable($0) } ?? ""
        return switch event {
        case .connected: "connected to the broker"
        case .disconnected: "not connected: \(reason ?? "")"
        case .refused: "skipped a message: \(reason ?? "")"
        case .dropped: "dropped \(plural(count ?? 0, "message")): the queue was full"
        case .lost: "gave up on \(plural(count ?? 0, "sighting"))"
        case .holding: "this process is now the active one (lease \(number ?? 0))"
        case .standingBy: "this process stands by"
        case .arrived: "\(name) has arrived (visit \(visit ?? 0))"
        case .left: "\(name) has left (visit \(visit ?? 0))"
        }
    }
}

/// The writer of the reports of a part of a fleet.
struct FleetReport: Sendable {
    let isJSON: Bool

    init(isJSON: Bool) {
        self.isJSON = isJSON
        // `tell` notices when the reader has gone away.
        outliveReaders()
    }

    /// Writes a fact. When the reader has gone away, the process ends as on SIGTERM.
    func tell(
        _ event: FleetFact.Event, reason: String? = nil, count: UInt64? = nil, number: UInt64? = nil,
        contact: String? = nil, visit: UInt64? = nil
    ) {
        let fact = FleetFact(
            event: event, time: timestamp(SystemClock().read().unixSeconds), reason: reason, count: count,
            number: number,
            contact: contact, visit: visit)
        if !writeFact(fact, asJSON: isJSON, otherwise: { "\($0.time)  \($0.sentence)\n" }) { raise(SIGTERM) }
    }
}

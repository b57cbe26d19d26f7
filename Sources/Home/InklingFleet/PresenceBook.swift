internal import InklingEngine
package import InklingKeys

/// Counts the matches of a fleet, and decides which contacts have arrived or left (`Specs/fleet.md`).
///
/// Every process that may take the lease mirrors the broker's records, but only the holder counts. Its effects are
/// carried
/// out in order over one connection, so that a record is stored before any message refers to it.
package struct PresenceBook: Sendable {
    /// An action for the caller; actions are carried out in order.
    package enum Effect: Hashable, Sendable {
        /// Makes the broker keep this record.
        case store(ContactRecord)
        /// Makes the broker forget a contact's record from an earlier fence.
        case forget(String, Fence)
        /// Tells a source that a sighting was stored.
        case acknowledge(SightingID)
        /// The contact has arrived for its nth visit, or has left at the end of it.
        case arrived(String, visit: UInt64)
        case left(String, visit: UInt64)
    }

    /// The largest number of contacts.
    package static let contactLimit = 500
    /// The time in which a new holder reports no departure, in ms: antennas first resend what was not stored.
    package static let grace: UInt64 = 10_000

    /// The time after the last sighting at which a contact has left, in milliseconds.
    private let leaveAfter: UInt64
    private var fence: Fence?
    private var records: [String: ContactRecord] = [:]
    private var deadlines: [String: Tick] = [:]
    /// The fences of superseded records that the broker is known to keep, by contact.
    private var older: [String: Set<Fence>] = [:]
    /// The number of matches refused because there were too many contacts.
    package private(set) var refused: UInt64 = 0

    /// Creates a book. `leaveAfter` is raised to the minimum for a node's contacts.
    package init(leaveAfter: Duration = RecognitionPolicy().departAfter) {
        self.leaveAfter = max(leaveAfter, RecognitionPolicy.minimumDeparture).wholeMilliseconds
    }

    /// The records, sorted by the label of the contact.
    package var contacts: [ContactRecord] { records.values.sorted { $0.contact < $1.contact } }

    /// The time at which `timerFired` is due; `nil` while no contact is present, and for a process without the lease.
    package var wake: Tick? { fence == nil ? nil : deadlines.values.min() }

    /// Starts a connection: the broker delivers all kept records again.
    package mutating func begin() { (fence, records, deadlines, older) = (nil, [:], [:], [:]) }

    /// Takes the lease. Departure timers continue, but no contact leaves before the antennas have resent the sightings
    /// from the time without a holder.
    package mutating func take(_ fence: Fence, at now: ClockReading) {
        self.fence = fence
        for record in records.values where record.isPresent {
            let end = record.last + leaveAfter
            let rest = end - min(now.unixMilliseconds, end)
            deadlines[record.contact] = now.tick.advanced(byMilliseconds: max(min(rest, leaveAfter), Self.grace))
        }
    }

    /// Loses the lease.
    package mutating func lose() { (fence, deadlines) = (nil, [:]) }

    /// Handles a record from the broker: our own, the holder's, or one of a former holder that is unaware of this.
    package mutating func hear(_ record: ContactRecord) -> [Effect] {
        let known = records[record.contact]
        guard let fence else {
            guard known != nil || records.count < Self.contactLimit else { return [] }
            if let known, known.fence > record.fence {
                older[record.contact, default: []].insert(record.fence)
            } else {
                if let known, known.fence < record.fence { older[record.contact, default: []].insert(known.fence) }
                records[record.contact] = record
            }
            return []
        }
        // Records of earlier fences count only if they were read before this lease was taken.
        guard record.fence < fence else { return [] }
        older[record.contact, default: []].insert(record.fence)
        return known?.fence == fence ? forgetOlder(record.contact) : []
    }

    /// Removes the records that the broker has forgotten, for which `isGone` returns true.
    package mutating func forget(_ isGone: (String, Fence) -> Bool) {
        for (contact, fences) in older { older[contact] = fences.filter { !isGone(contact, $0) } }
        // The holder decides itself which records exist.
        if fence == nil { records = records.filter { !isGone($0.key, $0.value.fence) } }
    }

    /// Stores a record and forgets those it replaces.
    private mutating func store(_ record: ContactRecord) -> [Effect] {
        if let known = records[record.contact], known.fence < record.fence {
            older[record.contact, default: []].insert(known.fence)
        }
        records[record.contact] = record
        return [.store(record)] + forgetOlder(record.contact)
    }

    private mutating func forgetOlder(_ contact: String) -> [Effect] {
        (older.removeValue(forKey: contact) ?? []).sorted().map { .forget(contact, $0) }
    }

    /// Handles a match from the broker; only the holder counts it.
    package mutating func hear(_ match: MatchMessage, at now: ClockReading) -> [Effect] {
        guard let fence else { return [] }
        if records[match.contact] == nil, records.count >= Self.contactLimit {
            refused &+= 1
            return []
        }
        var record = records[match.contact] ?? ContactRecord(match.contact, fence: fence)
        let isOwn = record.fence == fence
        let isNew = record.admit(match.id)
        record.fence = fence
        // Store it under this fence: another process may remove the earlier holder's record as superseded.
        guard isNew else { return (isOwn ? [] : store(record)) + [.acknowledge(match.id)] }
        record.sightings += 1
        let heard = now.unixMilliseconds - min(match.age, now.unixMilliseconds)
        let deadline = Tick(milliseconds: now.tick.milliseconds - min(match.age, now.tick.milliseconds))
            .advanced(byMilliseconds: leaveAfter)
        var effects: [Effect] = []
        if record.isPresent {
            deadlines[match.contact] = max(deadlines[match.contact] ?? deadline, deadline)
        } else if heard > record.left || record.visit == 0 {
            record.isPresent = true
            record.visit += 1
            record.since = heard
            deadlines[match.contact] = deadline
            effects.append(.arrived(match.contact, visit: record.visit))
        }
        // A late match from a visit that is over is counted, but starts no new visit.
        if heard >= record.last { record.room = match.room ?? record.room }
        record.last = max(record.last, heard)
        return store(record) + effects + [.acknowledge(match.id)]
    }

    /// Reports the departures that are due, when `wake` was reached.
    package mutating func timerFired(at now: ClockReading) -> [Effect] {
        guard let fence else { return [] }
        var effects: [Effect] = []
        for contact in deadlines.filter({ $0.value <= now.tick }).keys.sorted() {
            deadlines[contact] = nil
            guard var record = records[contact], record.isPresent else { continue }
            record.fence = fence
            record.isPresent = false
            record.left = now.unixMilliseconds
            effects += store(record) + [.left(contact, visit: record.visit)]
        }
        return effects
    }
}

internal import InklingEngine
package import InklingKeys

/// Counts the matches of a fleet, and decides who has arrived and who has left (`Specs/fleet.md`).
///
/// Every process that may take the lease keeps what the broker keeps. The holder alone counts: what it returns is carried out in
/// order over one connection, so that a record is stored before anything says so.
package struct PresenceBook: Sendable {
    /// What is to be done, in order.
    package enum Effect: Hashable, Sendable {
        /// Have the broker keep this record.
        case store(ContactRecord)
        /// Have the broker forget the record of a contact that was written under an earlier fence.
        case forget(String, Fence)
        /// Say to a source that a sighting was stored.
        case acknowledge(SightingID)
        /// The contact has arrived for its nth visit, or has left after it.
        case arrived(String, visit: UInt64)
        case left(String, visit: UInt64)
    }

    /// The most contacts.
    package static let contactLimit = 500
    /// How long after it has taken the lease a holder reports nobody as left, in milliseconds: the antennas send again what was
    /// not stored.
    package static let grace: UInt64 = 10_000

    /// How long after it was last heard a contact has left, in milliseconds.
    private let leaveAfter: UInt64
    private var fence: Fence?
    private var records: [String: ContactRecord] = [:]
    private var deadlines: [String: Tick] = [:]
    /// Under which fences there are records at the broker that are not those above, as far as is known.
    private var older: [String: Set<Fence>] = [:]
    /// How many matches were left out because there are too many contacts.
    package private(set) var refused: UInt64 = 0

    /// Creates a book. The timer is that of a node's contacts, and no shorter than theirs may be.
    package init(leaveAfter: Duration = RecognitionPolicy().departAfter) {
        self.leaveAfter = max(leaveAfter, RecognitionPolicy.minimumDeparture).wholeMilliseconds
    }

    /// The records, by the label of the contact.
    package var contacts: [ContactRecord] { records.values.sorted { $0.contact < $1.contact } }

    /// When `timerFired` is due; nil while nobody is present, and for a process that does not hold the lease.
    package var wake: Tick? { fence == nil ? nil : deadlines.values.min() }

    /// A connection begins: what the broker keeps comes with it.
    package mutating func begin() { (fence, records, deadlines, older) = (nil, [:], [:], [:]) }

    /// This process has taken the lease. The timers go on, and nobody leaves before the antennas have sent again what was heard
    /// while nobody listened.
    package mutating func take(_ fence: Fence, at now: ClockReading) {
        self.fence = fence
        for record in records.values where record.isPresent {
            let end = record.last + leaveAfter
            let rest = end - min(now.unixMilliseconds, end)
            deadlines[record.contact] = now.tick.advanced(byMilliseconds: max(min(rest, leaveAfter), Self.grace))
        }
    }

    /// This process does not hold the lease any more.
    package mutating func lose() { (fence, deadlines) = (nil, [:]) }

    /// The broker has delivered a record: an own one, one of the holder, or one of an earlier holder that does not know it yet.
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
        // What was written under an earlier fence before this one was taken has been read; later it is not followed.
        guard record.fence < fence else { return [] }
        older[record.contact, default: []].insert(record.fence)
        return known?.fence == fence ? forgetOlder(record.contact) : []
    }

    /// The broker has forgotten the records for which this is true.
    package mutating func forget(_ isGone: (String, Fence) -> Bool) {
        for (contact, fences) in older { older[contact] = fences.filter { !isGone(contact, $0) } }
        // The holder says itself what is kept.
        if fence == nil { records = records.filter { !isGone($0.key, $0.value.fence) } }
    }

    /// Stores a record; the ones that it replaces can then be forgotten.
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

    /// The broker has delivered a match; the holder counts it.
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
        // A record of an earlier holder may be removed by another one that does not know that it is none any more.
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
        // A late one of a visit that is over is counted, and does not begin another.
        if heard >= record.last { record.room = match.room ?? record.room }
        record.last = max(record.last, heard)
        return store(record) + effects + [.acknowledge(match.id)]
    }

    /// Decides who has left when `wake` has come.
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

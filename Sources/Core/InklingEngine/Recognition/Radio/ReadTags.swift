internal import InklingKeys

/// Tags that were read at addresses and that contacts are expected to show, up to a limit.
struct ReadTags: Sendable {
    /// A prediction that the tag matches, and when its address was last heard inside the window.
    struct Claim: Sendable {
        let prediction: Prediction
        var last: Tick
    }

    struct Entry: Sendable {
        let tag: RecognitionTag
        let address: DeviceAddress
        var claims: [Claim]

        /// The number of contacts that are expected to show the tag.
        var sharers: Int { Set(claims.map(\.prediction.contact)).count }
    }

    /// In the order in which the tags were read.
    private(set) var entries: [Entry] = []

    /// Returns the contacts whose tag was read at an address.
    func contacts(of address: DeviceAddress) -> Set<ContactID> {
        Set(entries.filter { $0.address == address }.flatMap { $0.claims.map(\.prediction.contact) })
    }

    /// The contacts that are expected to show any of the tags.
    var contacts: [ContactID] { entries.flatMap { $0.claims.map(\.prediction.contact) } }

    /// Returns the contacts that are expected to show a tag that this contact is expected to show, itself included.
    func sharers(of contact: ContactID) -> [ContactID] {
        entries.map { $0.claims.map(\.prediction.contact) }.filter { $0.contains(contact) }.flatMap { $0 }
    }

    /// The earliest epoch of a tag.
    var firstEpoch: Epoch? { entries.flatMap { $0.claims.map(\.prediction.epoch) }.min() }

    /// Adds a tag. It replaces the earlier one at its address or, at the limit, the oldest entry.
    mutating func insert(_ entry: Entry, limit: Int) {
        forget(entry.address)
        if entries.count >= limit, !entries.isEmpty { entries.removeFirst() }
        entries.append(entry)
    }

    /// Records that an address was heard, which prolongs its claims as far as their windows are open.
    mutating func hear(_ address: DeviceAddress, last: Tick, windowEnd: (Epoch) -> Tick) {
        guard let place = entries.firstIndex(where: { $0.address == address }) else { return }
        for claim in entries[place].claims.indices
        where last < windowEnd(entries[place].claims[claim].prediction.epoch) {
            entries[place].claims[claim].last = max(entries[place].claims[claim].last, last)
        }
    }

    /// Removes the tag of an address.
    mutating func forget(_ address: DeviceAddress) { entries.removeAll { $0.address == address } }

    /// Removes the claims of a contact, and tags that are left without claims.
    mutating func forget(_ contact: ContactID) { removeClaims { $0.prediction.contact == contact } }

    /// Removes the claims of expired epochs. Returns the contacts of the affected tags.
    mutating func forget(where isOver: (Epoch) -> Bool) -> Set<ContactID> {
        let contacts = Set(
            entries.filter { $0.claims.contains { isOver($0.prediction.epoch) } }
                .flatMap { $0.claims.map(\.prediction.contact) })
        removeClaims { isOver($0.prediction.epoch) }
        return contacts
    }

    private mutating func removeClaims(where isGone: (Claim) -> Bool) {
        for place in entries.indices { entries[place].claims.removeAll(where: isGone) }
        entries.removeAll { $0.claims.isEmpty }
    }
}

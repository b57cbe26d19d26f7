internal import InklingKeys

/// Tags that were read from addresses and may be contacts', at most so many.
struct ReadTags: Sendable {
    /// A contact whose tag it may be, and when its address was heard last while the tag counted.
    struct Claim: Sendable {
        let prediction: Prediction
        let windowEnd: Tick
        var last: Tick
    }

    struct Entry: Sendable {
        let tag: RecognitionTag
        let address: DeviceAddress
        var claims: [Claim]

        /// How many contacts may have shown it.
        var sharers: Int { Set(claims.map(\.prediction.contact)).count }
    }

    /// In the order in which they were read.
    private(set) var entries: [Entry] = []

    /// The contacts that an address may be.
    func contacts(of address: DeviceAddress) -> Set<ContactID> {
        Set(entries.filter { $0.address == address }.flatMap { $0.claims.map(\.prediction.contact) })
    }

    /// Whoever may have shown any of the tags.
    var contacts: [ContactID] { entries.flatMap { $0.claims.map(\.prediction.contact) } }

    /// The contacts that may have shown a tag that this one may have shown.
    func sharers(of contact: ContactID) -> [ContactID] {
        entries.map { $0.claims.map(\.prediction.contact) }.filter { $0.contains(contact) }.flatMap { $0 }
    }

    /// The earliest epoch of a tag.
    var firstEpoch: Epoch? { entries.flatMap { $0.claims.map(\.prediction.epoch) }.min() }

    /// Adds what was read; an address has one tag, and the oldest entry makes room.
    mutating func insert(_ entry: Entry, limit: Int) {
        forget(entry.address)
        if entries.count >= limit, !entries.isEmpty { entries.removeFirst() }
        entries.append(entry)
    }

    /// Notes that an address was heard.
    mutating func hear(_ address: DeviceAddress, last: Tick) {
        guard let place = entries.firstIndex(where: { $0.address == address }) else { return }
        for claim in entries[place].claims.indices where last < entries[place].claims[claim].windowEnd {
            entries[place].claims[claim].last = max(entries[place].claims[claim].last, last)
        }
    }

    /// Takes away what an address showed.
    mutating func forget(_ address: DeviceAddress) { entries.removeAll { $0.address == address } }

    /// Takes away what may be a contact's only.
    mutating func forget(_ contact: ContactID) { removeClaims { $0.prediction.contact == contact } }

    /// Takes away the tags of epochs that do not matter any more; answers whose they may have been.
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

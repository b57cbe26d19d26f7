internal import InklingKeys

/// Tags that were read from addresses and may be contacts', at most so many.
struct ReadTags: Sendable {
    struct Entry: Sendable {
        let tag: RecognitionTag
        let address: DeviceAddress
        /// Whose it may be, in the windows in which it was read.
        var predictions: [Prediction]
    }

    /// In the order in which they were read.
    private(set) var entries: [Entry] = []

    /// Adds what was read; an address has one tag, and the oldest entry makes room.
    mutating func insert(_ entry: Entry, limit: Int) {
        entries.removeAll { $0.address == entry.address }
        if entries.count >= limit, !entries.isEmpty { entries.removeFirst() }
        entries.append(entry)
    }

    /// Takes away what an address showed.
    mutating func forget(_ address: DeviceAddress) { entries.removeAll { $0.address == address } }

    /// Takes away what may be a contact's only.
    mutating func forget(_ contact: ContactID) {
        for place in entries.indices { entries[place].predictions.removeAll { $0.contact == contact } }
        entries.removeAll { $0.predictions.isEmpty }
    }

    /// The contacts that an address may be.
    func contacts(of address: DeviceAddress) -> Set<ContactID> {
        Set(entries.filter { $0.address == address }.flatMap { $0.predictions.map(\.contact) })
    }

    /// The earliest epoch of a tag.
    var firstEpoch: Epoch? { entries.flatMap { $0.predictions.map(\.epoch) }.min() }

    /// Takes away the tags of epochs that are over; answers whose they may have been.
    mutating func forget(where isOver: (Epoch) -> Bool) -> Set<ContactID> {
        let contacts = Set(
            entries.filter { $0.predictions.contains { isOver($0.epoch) } }.flatMap { $0.predictions.map(\.contact) })
        for place in entries.indices { entries[place].predictions.removeAll { isOver($0.epoch) } }
        entries.removeAll { $0.predictions.isEmpty }
        return contacts
    }
}

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

    /// Takes away the tags of epochs that are over.
    mutating func forget(where isOver: (Epoch) -> Bool) {
        for place in entries.indices { entries[place].predictions.removeAll { isOver($0.epoch) } }
        entries.removeAll { $0.predictions.isEmpty }
    }
}

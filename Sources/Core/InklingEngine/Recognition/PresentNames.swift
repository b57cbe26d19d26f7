internal import InklingKeys

/// The names of other devices that are present now, up to a limit, each with its predictions from the current table.
struct PresentNames: Sendable {
    struct Entry: Sendable {
        let name: OpaqueServiceName
        /// The time when the name was first observed, which is before its report if that was late.
        let since: Tick
        var predictions: [Prediction]
    }

    /// The entries in the order of their reports, so that the same events always lead to the same effects.
    private(set) var entries: [Entry] = []

    /// Returns the names that may belong to a contact.
    func of(_ contact: ContactID) -> [Entry] {
        entries.filter { entry in entry.predictions.contains { $0.contact == contact } }
    }

    /// Returns the contacts that are expected to show a name.
    func contacts(of name: OpaqueServiceName) -> [ContactID] {
        entries.first { $0.name == name }?.predictions.map(\.contact) ?? []
    }

    /// The contacts that are expected to show any of the names.
    var contacts: [ContactID] { entries.flatMap { $0.predictions.map(\.contact) } }

    /// Returns the contacts that are expected to show a name that this contact is expected to show, itself included.
    func sharers(of contact: ContactID) -> [ContactID] { of(contact).flatMap { $0.predictions.map(\.contact) } }

    /// Adds a name unless it is present already. At the limit it replaces the oldest name without predictions, so that
    /// names of strangers never displace names of contacts.
    ///
    /// - Returns: whether the name was added.
    mutating func insert(_ entry: Entry, limit: Int) -> Bool {
        guard !entries.contains(where: { $0.name == entry.name }) else { return false }
        if entries.count >= limit {
            guard let victim = entries.firstIndex(where: { $0.predictions.isEmpty }) else { return false }
            entries.remove(at: victim)
        }
        entries.append(entry)
        return true
    }

    mutating func remove(_ name: OpaqueServiceName) { entries.removeAll { $0.name == name } }

    mutating func removeAll() { entries.removeAll() }

    /// Looks all names up in a new table. Returns the entries that match a known contact now and did not before.
    mutating func lookUp(in table: PredictedTable, isKnown: (ContactID) -> Bool) -> [Entry] {
        var found: [Entry] = []
        for index in entries.indices {
            let predictions = table.predictions(for: entries[index].name)
            let wasUnknown = !entries[index].predictions.contains { isKnown($0.contact) }
            entries[index].predictions = predictions
            if wasUnknown, predictions.contains(where: { isKnown($0.contact) }) { found.append(entries[index]) }
        }
        return found
    }
}

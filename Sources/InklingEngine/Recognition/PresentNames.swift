internal import InklingKeys

/// The names of others that are there now, at most so many; whose they might be is looked up once.
struct PresentNames: Sendable {
    struct Entry: Sendable {
        let name: OpaqueServiceName
        /// The moment at which it was observed first; earlier than the report of it when that came late.
        let since: Tick
        var predictions: [Prediction]
    }

    /// In order of their reports, so that the same events always lead to the same effects.
    private(set) var entries: [Entry] = []

    /// The names that may be a contact's.
    func of(_ contact: ContactID) -> [Entry] {
        entries.filter { entry in entry.predictions.contains { $0.contact == contact } }
    }

    /// The contacts that may have shown a name.
    func contacts(of name: OpaqueServiceName) -> [ContactID] {
        entries.first { $0.name == name }?.predictions.map(\.contact) ?? []
    }

    /// The contacts that may have shown any of the names.
    var contacts: [ContactID] { entries.flatMap { $0.predictions.map(\.contact) } }

    /// The contacts that may have shown a name that this one may have shown.
    func sharers(of contact: ContactID) -> [ContactID] { of(contact).flatMap { $0.predictions.map(\.contact) } }

    /// Adds a name unless it is there already; when there is no room, the oldest name that is nobody's makes it.
    ///
    /// - Returns: whether it was added: a stranger's name does not displace a contact's.
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

    /// Looks everything up again; answers what is a known contact's now and was not before.
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

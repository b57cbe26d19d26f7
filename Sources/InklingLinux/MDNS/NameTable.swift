internal import InklingKeys

/// The names of others that are there: each once, however many interfaces and address families report it, and no
/// faster than a bound, so that a flood on the network does not become a flood in the node.
struct NameTable {
    /// Where a report came from.
    struct Place: Hashable {
        let interface: Int32
        let family: Int32
    }

    private struct Entry {
        var places: Set<Place>
        var isReported = false
    }

    /// How many names are kept, and how many new ones are reported in a second.
    let limit: Int, perSecond: Int
    private var entries: [OpaqueServiceName: Entry] = [:]
    private var waiting: [OpaqueServiceName] = []
    private var order: [OpaqueServiceName] = []
    private var credit: Int
    private var lastCredit: UInt64 = 0

    /// An empty table.
    init(limit: Int = 256, perSecond: Int = 10) {
        self.limit = limit
        self.perSecond = perSecond
        credit = perSecond
    }

    /// How many names are kept.
    var count: Int { entries.count }

    /// Whether `due` would have something to say later.
    var isWaiting: Bool { !waiting.isEmpty }

    /// A name was reported. When the table is full, the oldest name makes room: whoever fills it with inventions must
    /// not keep contacts out.
    mutating func add(_ name: OpaqueServiceName, at place: Place) {
        if entries[name] != nil {
            if let places = entries[name]?.places, places.count < 16 { entries[name]?.places.insert(place) }
            return
        }
        if entries.count >= limit, let oldest = order.first { forget(oldest) }
        entries[name] = Entry(places: [place])
        order.append(name)
        waiting.append(name)
    }

    /// A report was withdrawn or ran out. True when the name is gone everywhere and had been reported.
    mutating func remove(_ name: OpaqueServiceName, at place: Place) -> Bool {
        guard var entry = entries[name] else { return false }
        entry.places.remove(place)
        guard entry.places.isEmpty else {
            entries[name] = entry
            return false
        }
        forget(name)
        return entry.isReported
    }

    /// The new names whose turn it is at `milliseconds` of any clock that does not run backwards.
    mutating func due(at milliseconds: UInt64) -> [OpaqueServiceName] {
        let passed = milliseconds - min(lastCredit, milliseconds)
        let earned = passed.multipliedReportingOverflow(by: UInt64(perSecond)).partialValue / 1000
        if earned > 0 {
            credit = Int(min(UInt64(perSecond), UInt64(credit) + earned))
            lastCredit = milliseconds
        }
        let names = Array(waiting.prefix(credit))
        waiting.removeFirst(names.count)
        credit -= names.count
        for name in names { entries[name]?.isReported = true }
        return names
    }

    private mutating func forget(_ name: OpaqueServiceName) {
        entries[name] = nil
        order.removeAll { $0 == name }
        waiting.removeAll { $0 == name }
    }
}

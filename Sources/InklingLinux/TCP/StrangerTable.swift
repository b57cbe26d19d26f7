/// Which accepted links have not authenticated, oldest first, and which of them must make room for a new one.
///
/// The newest always gets in: if the oldest stayed instead, links that only wait to be reset would keep contacts out.
struct StrangerTable<ID: Hashable, Source: Hashable> {
    private struct Entry {
        let id: ID
        let source: Source
    }

    /// How many there may be, in total and from one source.
    let limit: Int, limitPerSource: Int
    private var entries: [Entry] = []

    /// An empty table with these limits, each at least 1.
    init(limit: Int, limitPerSource: Int) {
        self.limit = max(limit, 1)
        self.limitPerSource = max(limitPerSource, 1)
    }

    /// How many there are.
    var count: Int { entries.count }

    /// Everybody who is in, oldest first.
    var all: [ID] { entries.map(\.id) }

    /// Lets `id` in and returns who must go, already removed.
    mutating func admit(_ id: ID, from source: Source) -> [ID] {
        var leaving: [ID] = []
        let same = entries.indices.filter { entries[$0].source == source }
        if same.count >= limitPerSource, let oldest = same.first {
            leaving.append(entries.remove(at: oldest).id)
        }
        if entries.count >= limit {
            leaving.append(entries.removeFirst().id)
        }
        entries.append(Entry(id: id, source: source))
        return leaving
    }

    /// Forgets `id`: its link authenticated or is gone.
    mutating func remove(_ id: ID) {
        entries.removeAll { $0.id == id }
    }
}

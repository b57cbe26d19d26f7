/// The accepted links that are unauthenticated, and the rule by which old ones make room for a new one.
///
/// A new link is always admitted. If the oldest links were kept instead, links that stay silent would keep contacts
/// out.
struct UnauthenticatedLinks<ID: Hashable, Source: Hashable> {
    private struct Entry {
        let id: ID
        let source: Source
    }

    /// The largest number of links, in total and from one source.
    let limit: Int, limitPerSource: Int
    private var entries: [Entry] = []

    /// Creates an empty table. Limits below 1 are raised to 1.
    init(limit: Int, limitPerSource: Int) {
        self.limit = max(limit, 1)
        self.limitPerSource = max(limitPerSource, 1)
    }

    var count: Int { entries.count }

    /// All links, oldest first.
    var all: [ID] { entries.map(\.id) }

    /// Adds a link, and returns the links that it replaces, which have been removed and must be closed.
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

    /// Removes a link that has authenticated or closed.
    mutating func remove(_ id: ID) {
        entries.removeAll { $0.id == id }
    }
}

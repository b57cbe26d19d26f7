internal import InklingKeys

/// The endpoints at which devices with predicted names can be reached, as they were heard.
///
/// Only predicted names are kept, so that invented ones cost nothing. Different endpoints are kept side by side, even
/// of one source, because a source can be forged: a handshake decides between them, and none displaces the first.
struct HeardNames: Sendable {
    /// The most names, the most endpoints of a name, and the most endpoints of all names.
    static let nameLimit = 256, endpointLimit = 8, totalLimit = 512
    /// The number of a name's endpoints, the first that were heard, that nothing displaces.
    static let keptFirst = 4
    /// The time in milliseconds for which an endpoint counts after it was last heard: two intervals of queries.
    static let lifetime: UInt64 = 240_000

    private struct Place: Hashable {
        let interface: UInt32
        let source: Endpoint.Address
    }

    private struct Item {
        let place: Place
        let endpoint: Endpoint
        var lastHeard: Tick

        /// Whether the packet came from the address that it names.
        var isFromItsAddress: Bool { endpoint.address == place.source }
    }

    // In the order in which they were heard first.
    private var items: [OpaqueServiceName: [Item]] = [:]
    private var total = 0
    /// The moment before which no endpoint stops counting; nil when there is none.
    private(set) var nextEnd: Tick?

    /// The number of names.
    var count: Int { items.count }

    /// Records an endpoint of a name from the packet of one source; returns whether the name is new.
    mutating func hear(
        _ name: OpaqueServiceName, at endpoint: Endpoint, from source: Endpoint.Address, on interface: UInt32, now: Tick
    ) -> Bool {
        let place = Place(interface: interface, source: source)
        guard var list = items[name] else {
            guard items.count < Self.nameLimit, makeRoom() else { return false }
            items[name] = [Item(place: place, endpoint: endpoint, lastHeard: now)]
            total += 1
            nextEnd = nextEnd ?? now.advanced(byMilliseconds: Self.lifetime)
            return true
        }
        if let index = list.firstIndex(where: { $0.place == place && $0.endpoint == endpoint }) {
            list[index].lastHeard = now
            items[name] = list
            return false
        }
        if list.count >= Self.endpointLimit {
            list.remove(at: Self.keptFirst)
            total -= 1
            items[name] = list
        } else if !makeRoom() {
            return false
        }
        items[name, default: []].append(Item(place: place, endpoint: endpoint, lastHeard: now))
        total += 1
        return false
    }

    /// Returns the endpoints of a name in the order of calling: first those whose address sent their packet, then the
    /// one heard first and the newest in turn.
    func endpoints(of name: OpaqueServiceName) -> [Endpoint] {
        guard let list = items[name] else { return [] }
        var others = list.filter { !$0.isFromItsAddress }[...]
        var order = list.filter(\.isFromItsAddress).map(\.endpoint)
        while let first = others.popFirst() {
            order.append(first.endpoint)
            if let newest = others.popLast() { order.append(newest.endpoint) }
        }
        var seen: Set<Endpoint> = []
        return order.filter { seen.insert($0).inserted }
    }

    /// Drops endpoints that were not heard for too long, or were heard on interfaces that are gone.
    ///
    /// - Returns: the names of which nothing is left, ascending.
    mutating func prune(at now: Tick, keeping interfaces: Set<UInt32>) -> [OpaqueServiceName] {
        var gone: [OpaqueServiceName] = []
        for (name, list) in items {
            let kept = list.filter {
                interfaces.contains($0.place.interface)
                    && now < $0.lastHeard.advanced(byMilliseconds: Self.lifetime)
            }
            guard kept.count != list.count else { continue }
            total -= list.count - kept.count
            items[name] = kept.isEmpty ? nil : kept
            if kept.isEmpty { gone.append(name) }
        }
        nextEnd = items.values.joined().map(\.lastHeard).min()?.advanced(byMilliseconds: Self.lifetime)
        return gone.sorted { $0.octets < $1.octets }
    }

    /// Makes room for one more endpoint: the newest of the name with most gives way, never the first.
    private mutating func makeRoom() -> Bool {
        guard total >= Self.totalLimit else { return true }
        let most = items.max { ($0.value.count, $0.key.octets) < ($1.value.count, $1.key.octets) }
        guard let most, most.value.count > 1 else { return false }
        items[most.key]?.removeLast()
        total -= 1
        return true
    }
}

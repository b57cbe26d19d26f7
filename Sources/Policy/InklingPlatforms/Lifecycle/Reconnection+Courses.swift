internal import InklingKeys

extension Reconnection {
    /// The progress of the reconnection of a peer.
    enum Phase: Hashable, Sendable {
        case resting
        case asking
        case askingAttached
        case calling([Route])
        case preparing(Route, [ReconnectionStep], since: Tick)
        case connected(Route)
    }

    /// The state of a wanted peer.
    struct Course: Sendable {
        var known: Route?
        let isStable: Bool
        var lastReceived: UInt64?
        var phase = Phase.resting
        /// The route that the system restored, kept until commands can be given.
        var restored: (route: Route, isLinked: Bool)?
        /// Whether a link was lost before its steps were done, or a step failed, since the peer was last connected.
        var hasStumbled = false
        /// The time since which the peer has no link.
        var since = Tick(milliseconds: 0)
        var waited: UInt64 = 0

        var needsSearch: Bool {
            if case .calling(let routes) = phase { routes.isEmpty || !isStable } else { false }
        }

        /// The time when its steps began; nil unless they run.
        var preparesSince: Tick? {
            if case .preparing(_, _, let since) = phase { since } else { nil }
        }

        var link: Route? {
            switch phase {
            case .preparing(let route, _, _), .connected(let route): route
            case .resting, .asking, .askingAttached, .calling: nil
            }
        }
    }

    /// The courses of all wanted peers. Every event needs to know whether any peer needs a search and whose steps have
    /// run longest; both are kept up to date, so that an event costs the same for one peer and for a thousand.
    struct Courses: Sendable {
        private var courses: [Peer: Course] = [:]
        private var searchCount = 0
        /// The peers whose steps run, the oldest first, because the time of the machine never goes back.
        private var preparing = ArrivalOrder<Peer>()

        var count: Int { courses.count }
        /// The wanted peers, in no particular order.
        var peers: [Peer] { Array(courses.keys) }
        /// Whether at least one peer needs a search.
        var needsSearch: Bool { searchCount > 0 }
        /// The time when the steps began that have run longest; nil if none run.
        var oldestPreparation: Tick? { preparing.first.flatMap { courses[$0]?.preparesSince } }

        /// The course of a peer; nil unless it is wanted.
        subscript(peer: Peer) -> Course? {
            get { courses[peer] }
            set {
                let former = courses[peer]
                courses[peer] = newValue
                if former?.needsSearch == true { searchCount -= 1 }
                if newValue?.needsSearch == true { searchCount += 1 }
                guard former?.preparesSince != newValue?.preparesSince else { return }
                preparing.remove(peer)
                if newValue?.preparesSince != nil { preparing.append(peer) }
            }
        }

        /// Returns the peers whose steps run, from the oldest on, up to the first whose beginning is not `isIncluded`.
        func preparations(while isIncluded: (Tick) -> Bool) -> [Peer] {
            preparing.prefix { courses[$0]?.preparesSince.map(isIncluded) ?? false }
        }
    }
}

/// Different elements in the order in which they arrived. Each operation takes constant time on average, whichever
/// element is removed.
struct ArrivalOrder<Element: Hashable & Sendable>: Sendable {
    /// The elements, and nil where one was removed. There is none before `start`.
    private var places: [Element?] = []
    private var indices: [Element: Int] = [:]
    private var start = 0

    /// The number of elements.
    var count: Int { indices.count }

    /// The element that arrived first; nil if there is none.
    var first: Element? { start < places.count ? places[start] : nil }

    /// Returns the first elements that satisfy the predicate, up to one that does not.
    func prefix(while isIncluded: (Element) -> Bool) -> [Element] {
        var result: [Element] = []
        for element in places[start...] {
            guard let element else { continue }
            guard isIncluded(element) else { break }
            result.append(element)
        }
        return result
    }

    /// Appends an element; one that is present keeps its place.
    mutating func append(_ element: Element) {
        guard indices[element] == nil else { return }
        indices[element] = places.count
        places.append(element)
    }

    /// Removes an element if it is present.
    mutating func remove(_ element: Element) {
        guard let index = indices.removeValue(forKey: element) else { return }
        places[index] = nil
        while start < places.count, places[start] == nil { start += 1 }
        // At most half of the places, plus a few, are empty, so that elements that come and go need no further memory.
        if places.count > 2 * count + 8 { close() }
    }

    private mutating func close() {
        places = places[start...].filter { $0 != nil }
        start = 0
        for (index, element) in places.enumerated() { if let element { indices[element] = index } }
    }
}

package import InklingKeys

/// The accepted unauthenticated links, and the choice of those that make room for a new one (`Specs/handshake.md`).
///
/// Links that have not passed the gate belong to strangers until then. A flood fills their places, but a contact sends
/// its first message at once: so links without one leave first, beginning with the source that holds most, and none
/// within the time that a contact's message takes to arrive. A link that has passed the gate has a place of its own.
package struct UnauthenticatedLinks<ID: Hashable & Sendable, Source: Hashable & Sendable>: Sendable {
    /// The numbers of links, each at least 1.
    package struct Limits: Hashable, Sendable {
        /// The links that have not passed the gate, in total and of one source.
        package var strangers = 1_024, strangersPerSource = 8
        /// The links that have passed the gate, in total and of one source.
        package var passed = 64, passedPerSource = 8
        /// The age in milliseconds below which a link that has not passed the gate does not make room.
        package var grace: UInt64 = 300

        /// Creates the limits of the specification.
        package init() {}
    }

    /// The answer to a new link.
    package enum Admission: Hashable, Sendable {
        /// The link has a place. `replacing` has lost its place to it and must be reset.
        case admitted(replacing: ID?)
        /// No other link may make room yet: the new one must be reset.
        case refused
    }

    private struct Stranger: Sendable {
        let id: ID
        let slot: Int
        let since: Tick
        var isComplete = false
    }

    private struct Passed: Sendable {
        let id: ID
        let source: Source
    }

    private let limits: Limits
    // In the order of their beginning, and of passing. Sources have small numbers, so that a search compares no addresses.
    private var strangers: [Stranger] = []
    private var passed: [Passed] = []
    private var slots: [Source: Int] = [:]
    private var sources: [Source?] = []
    private var counts: [Int] = []
    private var freeSlots: [Int] = []

    /// Creates an empty table.
    package init(limits: Limits = Limits()) { self.limits = limits }

    /// The links that have not passed the gate, in the order of their beginning, and those that have, in that of passing.
    package var numbers: (strangers: [ID], passed: [ID]) { (strangers.map(\.id), passed.map(\.id)) }

    /// All links.
    package var all: [ID] { numbers.strangers + numbers.passed }

    /// Admits or refuses an accepted link from `source`. A link that has a place keeps it.
    package mutating func arrived(_ id: ID, from source: Source, at now: Tick) -> Admission {
        guard !strangers.contains(where: { $0.id == id }), !passed.contains(where: { $0.id == id }) else {
            return .admitted(replacing: nil)
        }
        let own = slots[source]
        var replaced: Int?
        if let own, counts[own] >= max(limits.strangersPerSource, 1) {
            replaced = leaving(of: own, at: now)
            if replaced == nil { return .refused }
        } else if strangers.count >= max(limits.strangers, 1) {
            replaced = leaving(of: nil, at: now)
            if replaced == nil { return .refused }
        }
        let victim = replaced.map { remove(at: $0).id }
        let slot = slot(of: source)
        counts[slot] += 1
        strangers.append(Stranger(id: id, slot: slot, since: now))
        return .admitted(replacing: victim)
    }

    /// Records that the first message of a link is complete, or cannot become complete any more.
    package mutating func completed(_ id: ID) {
        guard let place = strangers.firstIndex(where: { $0.id == id }) else { return }
        strangers[place].isComplete = true
    }

    /// Records that a link has passed the gate, and that no later check has refused its first message. Returns the link
    /// that loses its place to it and must be reset.
    package mutating func passedGate(_ id: ID) -> ID? {
        guard let place = strangers.firstIndex(where: { $0.id == id }), let source = sources[strangers[place].slot]
        else { return nil }
        _ = remove(at: place)
        defer { passed.append(Passed(id: id, source: source)) }
        if passed.count(where: { $0.source == source }) >= max(limits.passedPerSource, 1) {
            return passed.firstIndex { $0.source == source }.map { passed.remove(at: $0).id }
        }
        guard passed.count >= max(limits.passed, 1) else { return nil }
        var held: [Source: Int] = [:]
        for link in passed { held[link.source, default: 0] += 1 }
        let most = held.values.max()
        return passed.firstIndex { held[$0.source] == most }.map { passed.remove(at: $0).id }
    }

    /// Removes a link that has authenticated or was closed.
    package mutating func removed(_ id: ID) {
        if let place = strangers.firstIndex(where: { $0.id == id }) { _ = remove(at: place) }
        passed.removeAll { $0.id == id }
    }

    /// Returns the place of the stranger's link that makes room, of one source or of all; nil if none may yet.
    private func leaving(of slot: Int?, at now: Tick) -> Int? {
        var waiting: (place: Int, held: Int)?
        var complete: (place: Int, held: Int)?
        for place in strangers.indices {
            let link = strangers[place]
            guard now.milliseconds(since: link.since) >= limits.grace else { break }
            guard slot == nil || slot == link.slot else { continue }
            let held = counts[link.slot]
            if link.isComplete {
                if held > complete?.held ?? 0 { complete = (place, held) }
            } else if held > waiting?.held ?? 0 {
                waiting = (place, held)
            }
        }
        return (waiting ?? complete)?.place
    }

    private mutating func remove(at place: Int) -> Stranger {
        let link = strangers.remove(at: place)
        counts[link.slot] -= 1
        if counts[link.slot] == 0, let source = sources[link.slot] {
            slots[source] = nil
            sources[link.slot] = nil
            freeSlots.append(link.slot)
        }
        return link
    }

    private mutating func slot(of source: Source) -> Int {
        if let slot = slots[source] { return slot }
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = counts.count
            counts.append(0)
            sources.append(nil)
        }
        slots[source] = slot
        sources[slot] = source
        return slot
    }
}

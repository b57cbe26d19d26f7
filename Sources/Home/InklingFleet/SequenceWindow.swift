/// The numbers of one source's sightings that were counted (`Specs/fleet.md`); none is counted twice.
package struct SequenceWindow: Hashable, Sendable {
    /// The largest distance between the oldest sighting that a source still sends and its newest.
    package static let span: UInt64 = 1024

    /// The lowest number that can still count: those below were counted, or are never sent again.
    package private(set) var base: UInt64
    /// The counted numbers from `base` on; fewer than `span`.
    package private(set) var seen: Set<UInt64> = []

    /// Creates an empty window.
    package init() { base = 0 }

    /// Restores a stored window and drops numbers that do not fit.
    package init(base: UInt64, seen: [UInt64]) {
        self.base = base
        self.seen = Set(seen.lazy.filter { $0 >= base && $0 - base < Self.span })
    }

    /// Returns whether a sighting is new, and counts it. `base` is the lowest number that its source still sends.
    package mutating func admit(_ sequence: UInt64, base: UInt64) -> Bool {
        raise(to: max(base, sequence >= Self.span ? sequence - Self.span + 1 : 0))
        return sequence >= self.base && seen.insert(sequence).inserted
    }

    private mutating func raise(to base: UInt64) {
        guard base > self.base else { return }
        self.base = base
        seen = seen.filter { $0 >= base }
    }
}

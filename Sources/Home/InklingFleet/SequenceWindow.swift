/// Which sightings of one source were counted (`Specs/fleet.md`): none is counted twice, however often it comes.
package struct SequenceWindow: Hashable, Sendable {
    /// The most numbers between the oldest sighting that a source still sends and its newest.
    package static let span: UInt64 = 1024

    /// Every number below it was counted, or is never sent again.
    package private(set) var base: UInt64
    /// The numbers from the base on that were counted; fewer than the span.
    package private(set) var seen: Set<UInt64> = []

    /// Creates a window in which nothing was counted.
    package init() { base = 0 }

    /// Creates the window that was stored; numbers that do not fit are left out.
    package init(base: UInt64, seen: [UInt64]) {
        self.base = base
        self.seen = Set(seen.lazy.filter { $0 >= base && $0 - base < Self.span })
    }

    /// Whether a sighting counts; it counts once. `base` is the oldest number that its source still sends.
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

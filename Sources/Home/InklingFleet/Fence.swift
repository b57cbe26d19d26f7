/// The right of one process to write for a fleet (`Specs/fleet.md`). A later one is greater, and nobody follows a smaller one.
package struct Fence: Hashable, Sendable, Comparable {
    /// How many times the lease was taken.
    package let number: UInt64
    /// The process that has taken it.
    package let holder: String

    /// Creates a fence.
    package init(_ number: UInt64, holder: String) {
        self.number = number
        self.holder = holder
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.number, left.holder) < (right.number, right.holder)
    }
}

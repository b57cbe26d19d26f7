/// A process's right to write for a fleet (`Specs/fleet.md`). A later fence is greater; smaller ones are ignored.
package struct Fence: Hashable, Sendable, Comparable {
    /// The number of times the lease has been taken.
    package let number: UInt64
    /// The process that holds the lease.
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

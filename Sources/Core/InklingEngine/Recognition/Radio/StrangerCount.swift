internal import InklingKeys

/// An estimate of the number of strangers' devices nearby: the pairs of address and minor that match no contact, in
/// this epoch or the previous one.
struct StrangerCount: Sendable {
    private(set) var epoch: Epoch?
    private var now: UInt64 = 0
    private var before: UInt64 = 0

    /// The number of strangers that a posterior assumes: one more than were heard.
    var expected: UInt64 { min(1 + max(now, before), Posterior.strangerLimit) }

    /// Begins an epoch of the observer; ignored for the current one.
    mutating func advance(to epoch: Epoch) {
        guard epoch != self.epoch else { return }
        before = self.epoch?.next == epoch ? now : 0
        now = 0
        self.epoch = epoch
    }

    /// Counts a pair that was not heard before in this epoch.
    mutating func add() { now = min(now + 1, Posterior.strangerLimit) }
}

internal import InklingKeys

/// How many strangers' devices are around: the pairs of address and minor that are nobody's, in this epoch and the one
/// before.
struct StrangerCount: Sendable {
    private(set) var epoch: Epoch?
    private var now: UInt64 = 0
    private var before: UInt64 = 0

    /// What strangers weigh in a posterior: one more than were heard.
    var expected: UInt64 { min(1 + max(now, before), Posterior.strangerLimit) }

    /// Notes in which epoch the observer is.
    mutating func advance(to epoch: Epoch) {
        guard epoch != self.epoch else { return }
        before = self.epoch?.next == epoch ? now : 0
        now = 0
        self.epoch = epoch
    }

    /// Notes a pair that was not heard before in this epoch.
    mutating func add() { now = min(now + 1, Posterior.strangerLimit) }
}

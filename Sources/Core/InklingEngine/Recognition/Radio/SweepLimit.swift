internal import InklingKeys

/// A limit on attempts because of minors while many different minors are heard (`Specs/bluetooth.md`).
///
/// In a sweep of all minors every contact has a candidate, and each attempt tells the sender that its minor is expected
/// here.
struct SweepLimit: Sendable {
    private var minors: Set<BeaconMinor> = []
    private var attempts = 0
    /// Whether the radio has left out minors in this epoch of the observer, so that they were not counted.
    private var isCrowded = false

    /// Records a minor that was heard in this epoch of the observer. At most `limit` + 1 are remembered.
    mutating func hear(_ minor: BeaconMinor, limit: Int) {
        if minors.count <= limit { minors.insert(minor) }
    }

    /// Records that the radio leaves out minors that are not predicted.
    mutating func noteCrowd() { isCrowded = true }

    /// Records an attempt because of a minor in this epoch of the observer.
    mutating func noteAttempt() { attempts += 1 }

    /// Whether a further attempt because of a minor may start in this epoch of the observer.
    func hasRoom(isRecent: Bool, under policy: RecognitionPolicy) -> Bool {
        let isSwept = isCrowded || minors.count > policy.sweepMinors
        return !isSwept || attempts < (isRecent ? policy.sweepAttempts : policy.sweepAttempts / 2)
    }
}

internal import InklingKeys

/// Settings for recognising one contact: how likely and how important a meeting is, and when it begins and ends.
public struct ContactOptions: Hashable, Sendable {
    /// The probability that the contact is near when nothing else is known, in 65,536ths: 1 to `Posterior.cap`.
    public var prior: UInt32 {
        didSet { prior = Self.bounded(prior) }
    }
    /// A weight from 1 to 100: among contacts with equal evidence, the one with the greater weight is tried first.
    public var importance: UInt32 {
        didSet { importance = min(max(importance, 1), 100) }
    }
    /// The arrival timer: how long the contact must be present before its arrival is reported, in whole milliseconds.
    public var arriveAfter: Duration {
        get { .milliseconds(arriveAfterMilliseconds) }
        set { arriveAfterMilliseconds = newValue.wholeMilliseconds }
    }
    /// The departure timer: how long after the last evidence the contact counts as having left; nil for the policy's
    /// timer. A value below `RecognitionPolicy.minimumDeparture` is raised to it.
    public var departAfter: Duration? {
        get { departAfterMilliseconds.map { .milliseconds($0) } }
        set { departAfterMilliseconds = newValue?.wholeMilliseconds }
    }
    /// The leave timer: how long after its goodbye the contact counts as having left; nil for the policy's timer. A
    /// value below `RecognitionPolicy.minimumDeparture` is raised to it. The departure timer can run out first.
    public var leaveAfter: Duration? {
        get { leaveAfterMilliseconds.map { .milliseconds($0) } }
        set { leaveAfterMilliseconds = newValue?.wholeMilliseconds }
    }
    private(set) var arriveAfterMilliseconds: UInt64
    private(set) var departAfterMilliseconds: UInt64?
    private(set) var leaveAfterMilliseconds: UInt64?

    /// Creates options; `prior` and `importance` are clamped to their ranges.
    public init(
        prior: UInt32 = Posterior.defaultPrior, importance: UInt32 = 1, arriveAfter: Duration = .zero,
        departAfter: Duration? = nil, leaveAfter: Duration? = nil
    ) {
        self.prior = Self.bounded(prior)
        self.importance = min(max(importance, 1), 100)
        arriveAfterMilliseconds = arriveAfter.wholeMilliseconds
        departAfterMilliseconds = departAfter?.wholeMilliseconds
        leaveAfterMilliseconds = leaveAfter?.wholeMilliseconds
    }

    private static func bounded(_ prior: UInt32) -> UInt32 { min(max(prior, 1), UInt32(Posterior.cap)) }
}

internal import InklingKeys

/// What the user wants of one contact: how likely it is met, how much it matters, and when it has come and gone.
public struct ContactOptions: Hashable, Sendable {
    /// How likely the contact is near at a moment when nothing is known, in 65,536ths: 1 to `Posterior.cap`.
    public var prior: UInt32 {
        didSet { prior = Self.bounded(prior) }
    }
    /// How much sooner the contact is tried than others with the same evidence: 1 to 100.
    public var importance: UInt32 {
        didSet { importance = min(max(importance, 1), 100) }
    }
    /// For how long the contact must be present before it counts as arrived.
    public var arriveAfter: Duration {
        get { .milliseconds(arriveAfterMilliseconds) }
        set { arriveAfterMilliseconds = newValue.wholeMilliseconds }
    }
    /// How long after the last evidence the contact has left; nil for the policy's timer. Never below
    /// `RecognitionPolicy.minimumDeparture`.
    public var departAfter: Duration? {
        get { departAfterMilliseconds.map { .milliseconds($0) } }
        set { departAfterMilliseconds = newValue?.wholeMilliseconds }
    }
    private(set) var arriveAfterMilliseconds: UInt64
    private(set) var departAfterMilliseconds: UInt64?

    /// Creates options, each brought into its range.
    public init(
        prior: UInt32 = Posterior.defaultPrior, importance: UInt32 = 1, arriveAfter: Duration = .zero,
        departAfter: Duration? = nil
    ) {
        self.prior = Self.bounded(prior)
        self.importance = min(max(importance, 1), 100)
        arriveAfterMilliseconds = arriveAfter.wholeMilliseconds
        departAfterMilliseconds = departAfter?.wholeMilliseconds
    }

    private static func bounded(_ prior: UInt32) -> UInt32 { min(max(prior, 1), UInt32(Posterior.cap)) }
}

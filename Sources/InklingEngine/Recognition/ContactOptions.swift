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
    /// For how long the contact must be present before it counts as arrived, in milliseconds.
    public var arriveAfter: UInt64
    /// How long after the last evidence the contact has left, in milliseconds; nil for the policy's timer. Never below
    /// `RecognitionPolicy.minimumDeparture`.
    public var departAfter: UInt64?

    /// The options, each brought into its range.
    public init(
        prior: UInt32 = Posterior.defaultPrior, importance: UInt32 = 1, arriveAfter: UInt64 = 0,
        departAfter: UInt64? = nil
    ) {
        self.prior = Self.bounded(prior)
        self.importance = min(max(importance, 1), 100)
        self.arriveAfter = arriveAfter
        self.departAfter = departAfter
    }

    private static func bounded(_ prior: UInt32) -> UInt32 { min(max(prior, 1), UInt32(Posterior.cap)) }
}

public import InklingKeys

/// The timers, budgets and bounds of recognition (`Specs/recognition.md`); durations are real milliseconds, whatever
/// the rate of protocol time.
public struct RecognitionPolicy: Hashable, Sendable {
    /// The shortest departure timer: a rotation's silent gap and a slow rediscovery fit in it.
    public static let minimumDeparture: UInt64 = 30_000

    /// How far the clocks of contacts may differ from ours.
    public var skew = SkewAllowance.standard
    /// How long after the last evidence a contact is called stale; when longer, `departAfter` counts.
    public var staleAfter: UInt64 = 30_000
    /// How long after the last evidence a contact has left; smaller values than `minimumDeparture` become that.
    public var departAfter: UInt64 = 120_000 {
        didSet { departAfter = max(departAfter, Self.minimumDeparture) }
    }
    /// For how long after the last authenticated evidence a name alone can keep a contact confirmed.
    public var confirmationLife: UInt64 = 1_800_000
    /// For how long an open session keeps a contact present without a record that authenticates.
    public var sessionSilence: UInt64 = 900_000
    /// For how long after a handshake a contact may use the reserved attempts.
    public var recency: UInt64 = 86_400_000
    /// The longest random delay before an attempt on the local network, and by radio.
    public var attemptDelay: UInt64 = 1000, radioAttemptDelay: UInt64 = 5000
    /// When an attempt is given up although nothing was reported about it.
    public var attemptTimeout: UInt64 = 15_000
    /// Attempts in any 60 seconds, one of them reserved for recently confirmed contacts.
    public var attemptsPerMinute = 6
    /// Attempts at once, one of them reserved for recently confirmed contacts.
    public var attemptsAtOnce = 2
    /// Readings of tags in any 60 seconds that no minor asked for; they count as attempts too.
    public var readingsPerMinute = 2
    /// Readings that wait.
    public var plannedReadingLimit = 16
    /// With what chance, in 65,536ths, a stranger's address is called in an epoch, so that being called proves less.
    public var decoys: UInt16 = 0
    /// How far apart two sightings of an address must be for it to be called.
    public var steadyAfter: UInt64 = 1000
    /// Names of others that are remembered while they are there.
    public var nameLimit = 256
    /// Addresses heard by radio that are remembered, minors of contacts, and tags.
    public var addressLimit = 4096, traceLimit = 1024, tagLimit = 64
    /// Contacts; more are not taken in.
    public var contactLimit = 1 << 20

    /// The values of the specification.
    public init() {}
}

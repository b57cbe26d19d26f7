public import InklingKeys

/// The timers, budgets and bounds of recognition (`Specs/recognition.md`).
///
/// Durations are in real time, whatever the rate of protocol time, and count in whole milliseconds.
public struct RecognitionPolicy: Hashable, Sendable {
    /// The shortest departure timer: a rotation's silent gap and a slow rediscovery fit in it.
    public static let minimumDeparture: Duration = .milliseconds(Timers.minimumDeparture)

    /// The durations as the engine counts them.
    struct Timers: Hashable, Sendable {
        static let minimumDeparture: UInt64 = 30_000

        var staleAfter: UInt64 = 30_000
        var departAfter: UInt64 = 120_000
        var confirmationLife: UInt64 = 1_800_000
        var sessionSilence: UInt64 = 900_000
        var recency: UInt64 = 86_400_000
        var attemptDelay: UInt64 = 1000, radioAttemptDelay: UInt64 = 5000
        var attemptTimeout: UInt64 = 15_000
        var steadyAfter: UInt64 = 1000
    }

    var timers = Timers()

    /// How far the clocks of contacts may differ from ours.
    public var skew = SkewAllowance.standard
    /// How long after the last evidence a contact is called stale; when longer, `departAfter` counts.
    public var staleAfter: Duration {
        get { .milliseconds(timers.staleAfter) }
        set { timers.staleAfter = newValue.wholeMilliseconds }
    }
    /// How long after the last evidence a contact has left; smaller values than `minimumDeparture` become that.
    public var departAfter: Duration {
        get { .milliseconds(timers.departAfter) }
        set { timers.departAfter = max(newValue.wholeMilliseconds, Timers.minimumDeparture) }
    }
    /// For how long after the last authenticated evidence a name alone can keep a contact confirmed.
    public var confirmationLife: Duration {
        get { .milliseconds(timers.confirmationLife) }
        set { timers.confirmationLife = newValue.wholeMilliseconds }
    }
    /// For how long an open session keeps a contact present without a record that authenticates.
    public var sessionSilence: Duration {
        get { .milliseconds(timers.sessionSilence) }
        set { timers.sessionSilence = newValue.wholeMilliseconds }
    }
    /// For how long after a handshake a contact may use the reserved attempts.
    public var recency: Duration {
        get { .milliseconds(timers.recency) }
        set { timers.recency = newValue.wholeMilliseconds }
    }
    /// The longest random delay before an attempt on the local network.
    public var attemptDelay: Duration {
        get { .milliseconds(timers.attemptDelay) }
        set { timers.attemptDelay = newValue.wholeMilliseconds }
    }
    /// The longest random delay before an attempt by radio.
    public var radioAttemptDelay: Duration {
        get { .milliseconds(timers.radioAttemptDelay) }
        set { timers.radioAttemptDelay = newValue.wholeMilliseconds }
    }
    /// When an attempt is given up although nothing was reported about it.
    public var attemptTimeout: Duration {
        get { .milliseconds(timers.attemptTimeout) }
        set { timers.attemptTimeout = newValue.wholeMilliseconds }
    }
    /// How far apart two sightings of an address must be for it to be called.
    public var steadyAfter: Duration {
        get { .milliseconds(timers.steadyAfter) }
        set { timers.steadyAfter = newValue.wholeMilliseconds }
    }
    /// Attempts in any 60 seconds, one of them reserved for recently confirmed contacts.
    public var attemptsPerMinute = 6
    /// Attempts at once, one of them reserved for recently confirmed contacts.
    public var attemptsAtOnce = 2
    /// Readings of tags in any 60 seconds that no minor asked for; they count as attempts too.
    public var readingsPerMinute = 2
    /// The most readings that wait.
    public var plannedReadingLimit = 16
    /// With what chance, in 65,536ths, a stranger's address is called in an epoch, so that being called proves less.
    public var decoys: UInt16 = 0
    /// The most names of others that are remembered while they are there.
    public var nameLimit = 256
    /// The most addresses heard by radio that are remembered.
    public var addressLimit = 4096
    /// The most minors of contacts that are remembered.
    public var traceLimit = 1024
    /// The most tags that are remembered.
    public var tagLimit = 64
    /// The most contacts; more are not recognised.
    public var contactLimit = 1 << 20

    /// Creates the policy of the specification.
    public init() {}
}

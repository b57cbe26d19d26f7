public import InklingKeys

/// The timers, budgets and limits of recognition (`Specs/recognition.md`).
///
/// Durations are in real time, whatever the rate of protocol time. The engine counts them in whole milliseconds.
public struct RecognitionPolicy: Hashable, Sendable {
    /// The shortest departure timer; it must outlast the silent gap of a rotation and a slow rediscovery.
    public static let minimumDeparture: Duration = .seconds(30)

    /// The greatest difference between the clocks of contacts and this device's clock.
    public var skew = SkewAllowance.standard
    /// The stale timer: how long after the last evidence a contact becomes stale, unless `departAfter` is shorter.
    public var staleAfter: Duration = .seconds(30)
    /// The departure timer: how long after the last evidence a contact counts as having left. A value below
    /// `minimumDeparture` is raised to it.
    public var departAfter: Duration = .seconds(120) {
        didSet { departAfter = max(departAfter, Self.minimumDeparture) }
    }
    /// The leave timer: how long after its goodbye a contact counts as having left. A value below `minimumDeparture` is
    /// raised to it.
    public var leaveAfter: Duration = .seconds(30) {
        didSet { leaveAfter = max(leaveAfter, Self.minimumDeparture) }
    }
    /// The time after the last authenticated message for which a name alone keeps a contact confirmed.
    public var confirmationLife: Duration = .seconds(1800)
    /// The time for which an open session keeps a contact present without an authenticated record.
    public var sessionSilence: Duration = .seconds(900)
    /// The time after a handshake for which a contact counts as recent and may use the reserved attempts.
    public var recency: Duration = .seconds(86_400)
    /// The longest random delay before an attempt on the local network.
    public var attemptDelay: Duration = .seconds(1)
    /// The longest random delay before an attempt by radio.
    public var radioAttemptDelay: Duration = .seconds(5)
    /// The longest duration of an attempt, after which it counts as failed without a report.
    public var attemptTimeout: Duration = .seconds(15)
    /// The least time between two sightings of an address before the engine has the caller connect to it.
    public var steadyAfter: Duration = .seconds(1)
    /// The most attempts in any 60 seconds over each technology; one of them is reserved for recently confirmed contacts.
    public var attemptsPerMinute = 6
    /// The most attempts at one time over each technology; one of them is reserved for recently confirmed contacts.
    public var attemptsAtOnce = 2
    /// The middles of the delays before repeated attempts and readings, in their order; each delay is drawn from a third
    /// less to a third more. Their number is that of the repeats in an epoch.
    public var repeatDelays: [Duration] = [.seconds(2), .seconds(6), .seconds(18)]
    /// The most repeated attempts and readings in any 60 seconds and at one time over each technology; they also count as
    /// attempts.
    public var repeatsPerMinute = 2, repeatsAtOnce = 1
    /// The time before the end of an epoch of this device in which nothing is repeated.
    public var repeatEnd: Duration = .seconds(5)
    /// The number of attempts because of names without a handshake after which, until the end of this device's epoch,
    /// only recently confirmed contacts are tried because of a name.
    public var unconfirmedNameLimit = 8
    /// The number of different minors in an epoch of this device beyond which at most `sweepAttempts` attempts because
    /// of a minor are made in it, half of them only for recently confirmed contacts.
    public var sweepMinors = 1000, sweepAttempts = 12
    /// The most readings of tags in any 60 seconds. Overflow hits and decoys cause them, and they also count as
    /// attempts.
    public var readingsPerMinute = 2
    /// The most readings that can be planned at one time.
    public var plannedReadingLimit = 16
    /// The probability, in 65,536ths, that a stranger's address is called in an epoch. Such decoys make it less certain
    /// that a device to which this one connects was recognised.
    public var decoys: UInt16 = 0
    /// The most names of other devices that are remembered while they are present.
    public var nameLimit = 256
    /// The most addresses of the radio that are remembered.
    public var addressLimit = 4096
    /// The most traces: minors of contacts, counted once for each epoch to which they may belong.
    public var traceLimit = 1024
    /// The most tags that are remembered.
    public var tagLimit = 64
    /// The most contacts that can be recognised; further ones are ignored.
    public var contactLimit = 1 << 20

    /// Creates the policy of the specification.
    public init() {}
}

extension RecognitionPolicy {
    /// The durations of a policy in whole milliseconds, converted once, because every event reads them.
    struct Timers: Sendable {
        var staleAfter: UInt64
        var departAfter: UInt64
        var leaveAfter: UInt64
        /// The time of a goodbye from a device of the contact, if no handshake has succeeded since.
        var goodbye: Tick?
        /// The moment up to which evidence had run out when the contact's timers were changed; it no longer counts.
        var over: Tick?
        let confirmationLife: UInt64
        let sessionSilence: UInt64
        let recency: UInt64
        let attemptDelay: UInt64
        let radioAttemptDelay: UInt64
        let steadyAfter: UInt64
        let repeatDelays: [UInt64]
        let repeatEnd: UInt64

        init(_ policy: RecognitionPolicy) {
            staleAfter = policy.staleAfter.wholeMilliseconds
            departAfter = policy.departAfter.wholeMilliseconds
            leaveAfter = policy.leaveAfter.wholeMilliseconds
            confirmationLife = policy.confirmationLife.wholeMilliseconds
            sessionSilence = policy.sessionSilence.wholeMilliseconds
            recency = policy.recency.wholeMilliseconds
            attemptDelay = policy.attemptDelay.wholeMilliseconds
            radioAttemptDelay = policy.radioAttemptDelay.wholeMilliseconds
            steadyAfter = policy.steadyAfter.wholeMilliseconds
            repeatDelays = policy.repeatDelays.map(\.wholeMilliseconds)
            repeatEnd = policy.repeatEnd.wholeMilliseconds
        }

        /// Returns when a contact counts as having left whose last evidence is of this moment.
        func departure(after end: Tick) -> Tick {
            let silence = end.advanced(byMilliseconds: departAfter)
            guard let goodbye, end <= goodbye else { return silence }
            return min(silence, goodbye.advanced(byMilliseconds: leaveAfter))
        }

        /// Whether evidence of this moment no longer counts.
        func isOver(_ end: Tick, at now: Tick) -> Bool {
            over.map { end <= $0 } ?? false || departure(after: end) <= now
        }
    }
}

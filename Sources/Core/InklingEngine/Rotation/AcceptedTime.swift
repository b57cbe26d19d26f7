public import InklingKeys

/// The judge of the clock: a device shows and erases values only in accepted time (`Specs/rotation.md`).
///
/// Time, once accepted, stays accepted until the clock is set or the program ends, even if the evidence for it goes
/// away.
public struct AcceptedTime: Sendable {
    /// The evidence that the clock is right, at one moment.
    public struct Evidence: Hashable, Sendable {
        /// The clocks at that moment; its tick counts sleep.
        public let reading: ClockReading
        /// The time for which the machine has been suspended since it started.
        public let asleep: Duration
        /// The kernel's estimate of the maximum clock error, in microseconds; nil while the kernel is not synchronised.
        public let kernelMaximumError: UInt64?
        /// The time of the battery-backed clock in Unix seconds; nil if the device has none.
        public let batteryClock: UInt64?

        /// Creates evidence; a nil argument means that this kind of evidence is missing.
        ///
        /// `asleep` is counted from any one moment before the first evidence: only its growth counts.
        public init(
            reading: ClockReading, asleep: Duration, kernelMaximumError: UInt64? = nil, batteryClock: UInt64? = nil
        ) {
            self.reading = reading
            self.asleep = asleep
            self.kernelMaximumError = kernelMaximumError
            self.batteryClock = batteryClock
        }
    }

    /// The reason time is not accepted. Until it is, the device emits nothing and erases nothing.
    public enum Refusal: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The kernel is not synchronised, no battery clock agrees, and the operator has not vouched for the clock.
        case unsupported
        /// The clock is `seconds` behind the latest time that was accepted.
        case behind(seconds: UInt64)
        /// The clock is `seconds` ahead of the latest time that was accepted: more than 744 hours.
        case ahead(seconds: UInt64)

        /// The reason in words, for a log.
        public var description: String {
            switch self {
            case .unsupported: "nothing confirms the clock"
            case .behind(let seconds): "the clock is \(seconds) s behind the latest accepted time"
            case .ahead(let seconds): "the clock is \(seconds) s ahead of the latest accepted time"
            }
        }
    }

    /// Whether time is accepted.
    public enum Verdict: Hashable, Sendable {
        /// The clock is trusted until it is set or the program ends.
        case accepted
        /// The clock is not trusted.
        case refused(Refusal)
    }

    /// The result of judging evidence.
    public struct Judgement: Hashable, Sendable {
        /// Whether time is accepted, and if not, why.
        public let verdict: Verdict
        /// The latest accepted time in Unix seconds if the caller must store it now, else nil. It must be stored when
        /// time is accepted and then once an hour.
        public let latestToStore: UInt64?

        package init(verdict: Verdict, latestToStore: UInt64?) {
            self.verdict = verdict
            self.latestToStore = latestToStore
        }
    }

    /// The greatest difference of two clocks that agree, and the greatest step of a clock that needs no new judgement.
    public static let tolerance: Duration = .seconds(toleranceSeconds)
    /// The greatest lead of the clock over the latest accepted time without stronger evidence: 744 hours.
    public static let horizon: Duration = .seconds(horizonSeconds)
    /// A kernel counts as synchronised only if its maximum error is below this (INK-ROT-041).
    public static let kernelErrorLimit: Duration = .microseconds(kernelErrorLimitMicroseconds)
    /// The time for which the kernel must have been synchronised, and the machine awake, before time beyond the horizon
    /// is accepted: 24 hours.
    public static let longSynchronisation: Duration = .milliseconds(longSynchronisationMilliseconds)
    private static let toleranceSeconds: UInt64 = 120
    private static let horizonSeconds: UInt64 = 744 * 3600
    private static let kernelErrorLimitMicroseconds: UInt64 = 16_000_000
    private static let longSynchronisationMilliseconds: UInt64 = 24 * 3_600_000
    private static let storeInterval: UInt64 = 3600

    /// The latest accepted time in Unix seconds; nil if time was never accepted.
    public private(set) var latest: UInt64?
    private var stored: UInt64?
    private var accepted: ClockReading?
    private var vouched: ClockReading?
    /// The first evidence of the present synchronisation.
    private var synchronised: Evidence?

    /// Creates the state at the start of the program, in which time is not accepted.
    ///
    /// - Parameter latest: the last `latestToStore` that was stored, in Unix seconds; nil on the first start.
    public init(latest: UInt64?) {
        self.latest = latest
        stored = latest
    }

    /// Judges the clock. Call this at the start, after sleep, when the clock was set, and at least once an hour.
    public mutating func judge(_ evidence: Evidence) -> Judgement {
        let reading = evidence.reading
        vouched = vouched.flatMap { Self.isContinuous($0, reading) ? $0 : nil }
        synchronised =
            Self.isSynchronised(evidence)
            ? synchronised.flatMap { Self.isContinuous($0.reading, reading) ? $0 : nil } ?? evidence : nil
        if accepted.map({ Self.isContinuous($0, reading) }) != true {
            accepted = nil
            if let refusal = refusal(of: evidence) { return Judgement(verdict: .refused(refusal), latestToStore: nil) }
            accepted = reading
            stored = nil
        }
        let now = reading.unixSeconds
        latest = max(latest ?? now, now)
        guard let latest, stored.map({ latest - min($0, latest) >= Self.storeInterval }) != false else {
            return Judgement(verdict: .accepted, latestToStore: nil)
        }
        stored = latest
        return Judgement(verdict: .accepted, latestToStore: latest)
    }

    /// Records that the operator vouches for the clock, which holds until the clock is set or the program ends.
    public mutating func vouch(at reading: ClockReading) { vouched = reading }

    /// Discards the latest accepted time because the operator says that it was wrong. The caller must start a new
    /// generation of every audience.
    public mutating func clear() {
        latest = nil
        stored = nil
        accepted = nil
    }

    private func refusal(of evidence: Evidence) -> Refusal? {
        let now = evidence.reading.unixSeconds
        let agrees = evidence.batteryClock.map { max($0, now) - min($0, now) <= Self.toleranceSeconds } ?? false
        guard synchronised != nil || agrees || vouched != nil else { return .unsupported }
        guard let latest else { return nil }
        if now < latest, latest - now > Self.toleranceSeconds { return .behind(seconds: latest - now) }
        let isLong = synchronised.map { evidence.awake(since: $0) >= Self.longSynchronisationMilliseconds } ?? false
        if now > latest, now - latest > Self.horizonSeconds, vouched == nil, !isLong {
            return .ahead(seconds: now - latest)
        }
        return nil
    }

    private static func isSynchronised(_ evidence: Evidence) -> Bool {
        evidence.kernelMaximumError.map { $0 < kernelErrorLimitMicroseconds } ?? false
    }

    /// Whether the clock was not set between two readings. `earlier` is the reading at which the clock was judged, not
    /// the latest one, so that many small steps cannot add up unnoticed.
    static func isContinuous(_ earlier: ClockReading, _ later: ClockReading) -> Bool {
        later.step(since: earlier).magnitude <= toleranceSeconds * 1000
    }
}

extension AcceptedTime.Evidence {
    /// Returns for how many milliseconds the machine was awake between two moments. A sleeping machine asks no time
    /// server: one false answer and a night must not count as a day of answers.
    fileprivate func awake(since earlier: AcceptedTime.Evidence) -> UInt64 {
        let passed = reading.tick.milliseconds(since: earlier.reading.tick)
        let slept = (asleep - min(earlier.asleep, asleep)).wholeMilliseconds
        return passed - min(slept, passed)
    }
}

public import InklingKeys

/// Whether the clock may be believed, which everything that is shown or erased depends on (`Specs/rotation.md`).
///
/// Accepted time stays accepted until the clock is set or the program ends; what supported it may go away meanwhile.
public struct AcceptedTime: Sendable {
    /// What can be said for the clock at one moment.
    public struct Evidence: Hashable, Sendable {
        /// The clocks.
        public let reading: ClockReading
        /// The maximum error of the clock by the kernel, in microseconds; nil while it is not synchronised.
        public let kernelMaximumError: UInt64?
        /// Unix seconds of a battery clock, or nil without one.
        public let batteryClock: UInt64?

        /// Evidence.
        public init(reading: ClockReading, kernelMaximumError: UInt64? = nil, batteryClock: UInt64? = nil) {
            self.reading = reading
            self.kernelMaximumError = kernelMaximumError
            self.batteryClock = batteryClock
        }
    }

    /// Why time is not accepted. Nothing is emitted and nothing erased meanwhile.
    public enum Refusal: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The kernel is not synchronised, no battery clock agrees, and the operator has not vouched.
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

    /// What a judgement says.
    public enum Verdict: Hashable, Sendable {
        /// The clock is believed until it is set or the program ends.
        case accepted
        /// The clock is not believed.
        case refused(Refusal)
    }

    /// The answer to evidence.
    public struct Judgement: Hashable, Sendable {
        /// Whether time is accepted.
        public let verdict: Verdict
        /// The latest accepted time in Unix seconds, when it is to be stored now: at acceptance and then every hour.
        public let latestToStore: UInt64?

        package init(verdict: Verdict, latestToStore: UInt64?) {
            self.verdict = verdict
            self.latestToStore = latestToStore
        }
    }

    /// How far clocks that agree may differ, and a clock may be set without new checks.
    public static let tolerance: Duration = .seconds(toleranceSeconds)
    /// How far ahead of the latest accepted time the clock may be without further support: 744 hours.
    public static let horizon: Duration = .seconds(horizonSeconds)
    /// The kernel's maximum error must be below this (INK-ROT-041).
    public static let kernelErrorLimit: Duration = .microseconds(kernelErrorLimitMicroseconds)
    /// For how long the kernel must have been synchronised to carry time past the horizon.
    public static let longSynchronisation: Duration = .milliseconds(longSynchronisationMilliseconds)
    private static let toleranceSeconds: UInt64 = 120
    private static let horizonSeconds: UInt64 = 744 * 3600
    private static let kernelErrorLimitMicroseconds: UInt64 = 16_000_000
    private static let longSynchronisationMilliseconds: UInt64 = 24 * 3_600_000
    private static let storeInterval: UInt64 = 3600

    /// The latest time that was accepted, in Unix seconds; nil before the first.
    public private(set) var latest: UInt64?
    private var stored: UInt64?
    private var accepted: ClockReading?
    private var vouched: ClockReading?
    private var synchronised: ClockReading?

    /// Time with what was stored last time, if anything; not accepted yet.
    public init(latest: UInt64?) {
        self.latest = latest
        stored = latest
    }

    /// Judges the clock; to be asked at start, after sleep, when the clock was set, and at least hourly.
    public mutating func judge(_ evidence: Evidence) -> Judgement {
        let reading = evidence.reading
        vouched = vouched.flatMap { Self.isContinuous($0, reading) ? $0 : nil }
        synchronised =
            Self.isSynchronised(evidence)
            ? synchronised.flatMap { Self.isContinuous($0, reading) ? $0 : nil } ?? reading : nil
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

    /// The operator says that the clock is right as it is; lasts until it is set or the program ends.
    public mutating func vouch(at reading: ClockReading) { vouched = reading }

    /// The operator says that the latest accepted time was false. The caller starts a new generation of every audience.
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
        let isLong =
            synchronised.map {
                evidence.reading.tick.milliseconds(since: $0.tick) >= Self.longSynchronisationMilliseconds
            } ?? false
        if now > latest, now - latest > Self.horizonSeconds, vouched == nil, !isLong {
            return .ahead(seconds: now - latest)
        }
        return nil
    }

    private static func isSynchronised(_ evidence: Evidence) -> Bool {
        evidence.kernelMaximumError.map { $0 < kernelErrorLimitMicroseconds } ?? false
    }

    /// Whether the clock was not set between two readings. The reference is the reading of the check, not the latest
    /// one, so that many small steps do not add up unseen.
    static func isContinuous(_ earlier: ClockReading, _ later: ClockReading) -> Bool {
        later.step(since: earlier).magnitude <= toleranceSeconds * 1000
    }
}

internal import InklingEngine
internal import InklingKeys

/// Whether the clock is believed, and whether the machine has slept.
struct ClockWatch: Sendable {
    /// A machine that was away for more milliseconds than this has slept.
    private static let sleepThreshold: UInt64 = 5000

    /// Whether the operator vouches for the clock.
    let isTrusted: Bool
    private(set) var isAccepted = false
    private var time: AcceptedTime
    private var slept: UInt64 = 0

    init(latest: UInt64?, isTrusted: Bool) {
        time = AcceptedTime(latest: latest)
        self.isTrusted = isTrusted
    }

    mutating func start(at now: ClockReading, slept: UInt64) {
        self.slept = slept
        if isTrusted { time.vouch(at: now) }
    }

    /// Takes for how many milliseconds the machine has slept since it started; true when it has slept since last time.
    mutating func hasSlept(_ total: UInt64) -> Bool {
        defer { slept = total }
        return total > slept + Self.sleepThreshold
    }

    mutating func judge(_ evidence: ClockEvidence, at now: ClockReading) -> AcceptedTime.Judgement {
        let judgement = time.judge(
            AcceptedTime.Evidence(
                reading: now, kernelMaximumError: evidence.kernelMaximumError, batteryClock: evidence.batteryClock))
        isAccepted = judgement.verdict == .accepted
        return judgement
    }
}

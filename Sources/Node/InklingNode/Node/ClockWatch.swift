internal import InklingEngine
internal import InklingKeys

/// Tracks whether the clock is accepted and whether the machine has slept.
struct ClockWatch: Sendable {
    /// How many milliseconds of suspension count as sleep.
    private static let sleepThreshold: UInt64 = 5000

    /// Whether the operator vouches for the clock.
    let isTrusted: Bool
    private(set) var isAccepted = false
    private var time: AcceptedTime
    private var slept: UInt64 = 0
    private var hasStarted = false

    init(latest: UInt64?, isTrusted: Bool) {
        time = AcceptedTime(latest: latest)
        self.isTrusted = isTrusted
    }

    mutating func start(at now: ClockReading, slept: UInt64) {
        self.slept = slept
        hasStarted = true
        if isTrusted { time.vouch(at: now) }
    }

    /// Returns whether the machine has slept since the last call; `total` is for how many milliseconds it has been
    /// suspended since it started.
    mutating func hasSlept(_ total: UInt64) -> Bool {
        defer { slept = total }
        return total > slept + Self.sleepThreshold
    }

    /// Whether the clock may number new generations: it would be accepted, or is refused only because it is behind the
    /// latest accepted time, which the operator discards together with the old generations.
    func mayBeginGenerations(_ evidence: ClockEvidence, at now: ClockReading, slept: UInt64) -> Bool {
        var watch = self
        if isTrusted, !hasStarted { watch.time.vouch(at: now) }
        return switch watch.judge(evidence, at: now, slept: slept).verdict {
        case .accepted, .refused(.behind): true
        case .refused(.unsupported), .refused(.ahead): false
        }
    }

    /// Judges the clock; `slept` is for how many milliseconds the machine has been suspended since it started.
    mutating func judge(
        _ evidence: ClockEvidence, at now: ClockReading, slept: UInt64
    ) -> AcceptedTime.Judgement {
        let judgement = time.judge(
            AcceptedTime.Evidence(
                reading: now, asleep: .milliseconds(slept), kernelMaximumError: evidence.kernelMaximumError,
                batteryClock: evidence.batteryClock))
        isAccepted = judgement.verdict == .accepted
        return judgement
    }
}

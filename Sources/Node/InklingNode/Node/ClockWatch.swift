internal import InklingEngine
internal import InklingKeys

/// A watch over the clock's acceptance and the machine's sleep.
struct ClockWatch: Sendable {
    /// The suspension above which the machine has slept, in milliseconds.
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

    /// Returns whether the machine has slept since the last call; `total` is its suspended time since boot, in
    /// milliseconds.
    mutating func hasSlept(_ total: UInt64) -> Bool {
        defer { slept = total }
        return total > slept + Self.sleepThreshold
    }

    /// Returns whether the clock may number new generations: it would be accepted, or is refused only for being behind
    /// the latest accepted time, which the operator discards together with the old generations.
    func mayBeginGenerations(_ evidence: ClockEvidence, at now: ClockReading, slept: UInt64) -> Bool {
        var watch = self
        if isTrusted, !hasStarted { watch.time.vouch(at: now) }
        return switch watch.judge(evidence, at: now, slept: slept).verdict {
        case .accepted, .refused(.behind): true
        case .refused(.unsupported), .refused(.ahead): false
        }
    }

    /// Judges the clock; `slept` is the machine's suspended time since boot, in milliseconds.
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

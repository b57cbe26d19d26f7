import InklingEngine
import InklingKeys
import Testing

private let now = epochZero.start
private let hour = 3600

private func evidence(
    _ milliseconds: Int = 0, ahead: Int = 0, slept: Int = 0, error: UInt64? = nil, battery: Int? = nil
) -> AcceptedTime.Evidence {
    let reading = reading(milliseconds, ahead: ahead)
    return AcceptedTime.Evidence(
        reading: reading, asleep: .milliseconds(slept), kernelMaximumError: error,
        batteryClock: battery.map { UInt64(Int(reading.unixSeconds) + $0) })
}

private let accepted = AcceptedTime.Verdict.accepted

@Suite struct `Acceptance of time` {
    /// Covers INK-ROT-041.
    @Test func `refuses a clock without evidence`() {
        var time = AcceptedTime(latest: nil)
        #expect(time.judge(evidence()).verdict == .refused(.unsupported))
        #expect(time.judge(evidence(error: 16_000_000)).verdict == .refused(.unsupported))
        #expect(time.judge(evidence(battery: 121)).verdict == .refused(.unsupported))
        #expect(time.judge(evidence(battery: -121)).verdict == .refused(.unsupported))
        #expect(time.latest == nil)
    }

    /// Covers INK-ROT-041.
    @Test(arguments: [evidence(error: 15_999_999), evidence(battery: 120), evidence(battery: -120)])
    func `a synchronised kernel or an agreeing battery clock is enough in the first run`(
        evidence: AcceptedTime.Evidence
    ) {
        var time = AcceptedTime(latest: nil)
        #expect(time.judge(evidence) == AcceptedTime.Judgement(verdict: .accepted, latestToStore: now))
        #expect(time.latest == now)
    }

    /// Covers INK-ROT-047.
    @Test func `the operator may vouch for the clock until it is set`() {
        var time = AcceptedTime(latest: nil)
        time.vouch(at: reading(0))
        #expect(time.judge(evidence(1000)).verdict == accepted)
        #expect(time.judge(evidence(2000, ahead: 121)).verdict == .refused(.unsupported))
    }

    /// Covers INK-ROT-042.
    @Test func `accepts a clock up to 120 seconds behind the latest accepted time, and none further behind`() {
        var time = AcceptedTime(latest: now + 120)
        #expect(time.judge(evidence(error: 0)) == AcceptedTime.Judgement(verdict: .accepted, latestToStore: now + 120))
        var late = AcceptedTime(latest: now + 121)
        late.vouch(at: reading(0))
        #expect(late.judge(evidence(error: 0)).verdict == .refused(.behind(seconds: 121)))
    }

    /// Covers INK-KEY-023, INK-ROT-043.
    @Test func `accepts a clock up to 744 hours ahead, and none further ahead`() {
        var time = AcceptedTime(latest: now - 744 * 3600)
        #expect(time.judge(evidence(error: 0)).verdict == accepted)
        var early = AcceptedTime(latest: now - 744 * 3600 - 1)
        #expect(early.judge(evidence(error: 0)).verdict == .refused(.ahead(seconds: 744 * 3600 + 1)))
        #expect(early.judge(evidence(battery: 0)).verdict == .refused(.ahead(seconds: 744 * 3600 + 1)))
    }

    /// Covers INK-ROT-043.
    @Test func `accepts time beyond the horizon if the operator vouches or the kernel was synchronised for 24 hours`() {
        var vouched = AcceptedTime(latest: 1_000_000)
        vouched.vouch(at: reading(0))
        #expect(vouched.judge(evidence()).verdict == accepted)
        var patient = AcceptedTime(latest: 1_000_000)
        #expect(patient.judge(evidence(0, error: 0)).verdict != accepted)
        #expect(patient.judge(evidence(24 * hour * 1000 - 1, error: 0)).verdict != accepted)
        #expect(patient.judge(evidence(24 * hour * 1000, error: 0)).verdict == accepted)
    }

    /// Covers INK-ROT-043.
    @Test func `a day of sleep is no day of synchronisation, and interrupts none`() {
        var time = AcceptedTime(latest: 1_000_000)
        let day = 24 * hour * 1000
        // The machine has slept before the kernel was synchronised; that does not count.
        #expect(time.judge(evidence(0, slept: 5 * day, error: 0)).verdict != accepted)
        #expect(time.judge(evidence(day, slept: 6 * day - 1000, error: 0)).verdict != accepted)
        #expect(time.judge(evidence(2 * day - 1001, slept: 6 * day - 1000, error: 0)).verdict != accepted)
        #expect(time.judge(evidence(2 * day - 1000, slept: 6 * day - 1000, error: 0)).verdict == accepted)
    }

    /// Covers INK-ROT-043.
    @Test func `an interruption of synchronisation or setting the clock restarts the 24 hours`() {
        var time = AcceptedTime(latest: 1_000_000)
        _ = time.judge(evidence(0, error: 0))
        _ = time.judge(evidence(hour * 1000))
        _ = time.judge(evidence(2 * hour * 1000, error: 0))
        #expect(time.judge(evidence(25 * hour * 1000, error: 0)).verdict != accepted)
        _ = time.judge(evidence(25 * hour * 1000, ahead: 200, error: 0))
        #expect(time.judge(evidence(27 * hour * 1000, ahead: 200, error: 0)).verdict != accepted)
        #expect(time.judge(evidence(49 * hour * 1000, ahead: 200, error: 0)).verdict == accepted)
    }

    /// Covers INK-ROT-044.
    @Test func `time stays accepted without evidence until the clock is set`() {
        var time = AcceptedTime(latest: nil)
        _ = time.judge(evidence(0, error: 0))
        #expect(time.judge(evidence(100 * hour * 1000)).verdict == accepted)
        #expect(time.judge(evidence(100 * hour * 1000, ahead: 120)).verdict == accepted)
        #expect(time.judge(evidence(100 * hour * 1000, ahead: 121)).verdict == .refused(.unsupported))
    }

    /// Covers INK-ROT-045.
    @Test func `detects many small steps of the clock`() {
        var time = AcceptedTime(latest: nil)
        _ = time.judge(evidence(0, error: 0))
        #expect(time.judge(evidence(1000, ahead: 100)).verdict == accepted)
        #expect(time.judge(evidence(2000, ahead: 200)).verdict == .refused(.unsupported))
    }

    /// Covers INK-ROT-046.
    @Test func `stores the latest accepted time at acceptance and then every hour`() {
        var time = AcceptedTime(latest: now - 10)
        #expect(time.judge(evidence(0, error: 0)).latestToStore == now)
        #expect(time.judge(evidence(3_599_000, error: 0)).latestToStore == nil)
        #expect(time.judge(evidence(3_600_000, error: 0)).latestToStore == now + 3600)
        #expect(time.judge(evidence(7_199_000, error: 0)).latestToStore == nil)
    }

    @Test(arguments: [
        (-7200, AcceptedTime.Refusal.behind(seconds: 7199)), (3650 * 86_400, .ahead(seconds: 3650 * 86_400 + 1)),
    ])
    func `refuses a synchronised clock that jumps too far`(
        ahead: Int, why: AcceptedTime.Refusal
    ) {
        var time = AcceptedTime(latest: nil)
        #expect(time.judge(evidence(0, error: 0)).verdict == accepted)
        #expect(time.judge(evidence(1000, ahead: ahead, error: 0)).verdict == .refused(why))
    }

    @Test func `accepts a synchronised clock that jumps by three days, and refuses one without evidence`() {
        var time = AcceptedTime(latest: nil)
        _ = time.judge(evidence(0, error: 0))
        #expect(time.judge(evidence(1000, ahead: 3 * 86_400)).verdict == .refused(.unsupported))
        #expect(time.judge(evidence(1000, ahead: 3 * 86_400, error: 0)).verdict == accepted)
    }

    /// Covers INK-ROT-032.
    @Test func `only the operator clears a latest accepted time in the future`() {
        var time = AcceptedTime(latest: now + 1_000_000)
        for hours in 0..<50 { #expect(time.judge(evidence(hours * hour * 1000, error: 0)).verdict != accepted) }
        time.clear()
        #expect(time.judge(evidence(50 * hour * 1000, error: 0)).verdict == accepted)
    }
}

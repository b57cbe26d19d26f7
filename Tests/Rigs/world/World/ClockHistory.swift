internal import InklingEngine
internal import InklingKeys
internal import InklingSimulation

/// Years of one device: it is started many times with clocks that are right, ten years wrong, days ahead or missing,
/// sleeps, and loses what it was about to store. The machine of rotation and the judgement of time are the library's.
package struct ClockHistory {
    /// A fault that is planted in what the device keeps.
    package enum Fault: String, CaseIterable, Sendable {
        /// The high-water mark and the latest accepted time are lost at each start.
        case forgetsTime = "history-forgets-time"
        /// An epoch is shown although storing it as the high-water mark has failed.
        case showsUnstored = "history-shows-unstored"
        /// Time is taken as accepted whatever supports it.
        case acceptsAll = "history-accepts-all"
    }

    /// What a history led to.
    package struct Result: Sendable {
        package var starts = 0, shown = 0, refusals = 0, resets = 0
        package var years = 0.0
        package var violations: [String] = []

        package init() {}
    }

    private enum Clock { case right, tenYearsBehind, tenYearsAhead, daysAhead(UInt64), none }

    /// True time and the monotonic clock, in milliseconds.
    private var truth: UInt64 = 1_800_000_000_000
    private var tick: UInt64 = 1_000_000
    /// For how long the machine has slept.
    private var slept: UInt64 = 0
    private var generator: SimulationGenerator
    private let fault: Fault?
    // What is stored.
    private var highWater: Epoch?
    private var latestTime: UInt64?
    private var generation = 1
    /// The latest epoch that was shown in each generation, and in which generation each was shown.
    private var shown: (latest: Epoch, generation: Int)?
    private var failedSaves = 0
    private var result = Result()

    private init(seed: UInt64, fault: Fault?) {
        generator = SimulationGenerator(seed: seed ^ 0x7965_6172_7300_0000)
        self.fault = fault
    }

    /// Simulates this many starts of a device.
    package static func run(seed: UInt64, starts: Int, fault: Fault? = nil) -> Result {
        var history = ClockHistory(seed: seed, fault: fault)
        let began = history.truth
        // The first start has the right time: what a device accepts first is what it compares with.
        history.start(.right)
        for _ in 1..<max(starts, 1) {
            let hours = UInt64.random(in: 1...480, using: &history.generator)
            history.pass(hours * 3_600_000)
            history.start(history.drawClock())
        }
        history.result.years = Double(history.truth - began) / 31_557_600_000
        return history.result
    }

    private mutating func pass(_ milliseconds: UInt64) {
        truth += milliseconds
        tick += milliseconds
    }

    private mutating func drawClock() -> Clock {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: .tenYearsBehind
        case 1: .tenYearsAhead
        case 2: .daysAhead(UInt64.random(in: 1...30, using: &generator))
        case 3: .none
        default: .right
        }
    }

    private func reading(_ clock: Clock) -> ClockReading {
        let day: UInt64 = 86_400_000
        let time =
            switch clock {
            case .right: truth
            case .tenYearsBehind: truth - 3652 * day
            case .tenYearsAhead: truth + 3652 * day
            case .daysAhead(let days): truth + days * day
            // Without a battery the clock begins with 1970.
            case .none: tick
            }
        return ClockReading(tick: Tick(milliseconds: tick), unixMilliseconds: time)
    }

    private mutating func fail(_ words: String) {
        if result.violations.count < 5 { result.violations.append("start \(result.starts): \(words)") }
    }

    /// Starts the device with a clock and lets it run for some epochs.
    private mutating func start(_ clock: Clock) {
        result.starts += 1
        if fault == .forgetsTime {
            highWater = nil
            latestTime = nil
        }
        // A clock that was set while the machine was off cannot say more than the kernel does.
        let kernel: UInt64? = if case .none = clock { nil } else { 1000 }
        var time = AcceptedTime(latest: latestTime)
        var machine = RotationMachine(highWater: highWater)
        var verdict = judge(&time, clock, kernel)
        if case .refused(.behind) = verdict, case .right = clock {
            // The operator says that the clock is right, and the stored times are wrong.
            result.resets += 1
            highWater = nil
            latestTime = nil
            generation += 1
            time = AcceptedTime(latest: nil)
            machine = RotationMachine(highWater: nil)
            verdict = judge(&time, clock, kernel)
        }
        if case .refused(.ahead) = verdict, case .right = clock {
            // Off for more than a month: after a day of synchronisation the time is accepted again.
            for _ in 0..<25 {
                pass(3_600_000)
                verdict = judge(&time, clock, kernel)
            }
            if verdict != .accepted { fail("the right time is not accepted after a day of synchronisation") }
        }
        failedSaves = 0
        var shows = 0
        var wake = handle(.started, in: &machine, clock, verdict, &shows)
        for _ in 0..<Int.random(in: 8...24, using: &generator) {
            verdict = judge(&time, clock, kernel)
            switch verdict {
            case .accepted: wake = handle(.timeAccepted, in: &machine, clock, verdict, &shows) ?? wake
            case .refused:
                result.refusals += 1
                wake = handle(.timeRefused, in: &machine, clock, verdict, &shows) ?? wake
            }
            let due = wake.map { $0.milliseconds(since: Tick(milliseconds: tick)) } ?? 60_000
            pass(min(max(due, 1), 900_000))
            // However long a machine sleeps with a false clock, that is no day of synchronisation.
            if Int.random(in: 0..<12, using: &generator) == 0 {
                wake = handle(.fallingAsleep, in: &machine, clock, verdict, &shows) ?? wake
                let night = UInt64.random(in: 1...200, using: &generator) * 3_600_000
                slept += night
                pass(night)
                wake = handle(.wokeUp, in: &machine, clock, verdict, &shows) ?? wake
            }
            wake = handle(.timerFired, in: &machine, clock, verdict, &shows) ?? wake
        }
        if case .right = clock, shows == 0, failedSaves == 0 {
            fail("nothing was shown with the right time: \(verdict)")
        }
    }

    private mutating func judge(
        _ time: inout AcceptedTime, _ clock: Clock, _ kernel: UInt64?
    ) -> AcceptedTime.Verdict {
        let judgement = time.judge(
            AcceptedTime.Evidence(
                reading: reading(clock), asleep: .milliseconds(slept), kernelMaximumError: kernel))
        if let latest = judgement.latestToStore { latestTime = latest }
        return fault == .acceptsAll ? .accepted : judgement.verdict
    }

    /// Carries out what the machine asks for; returns when it wants to be woken.
    private mutating func handle(
        _ event: RotationMachine.Event, in machine: inout RotationMachine, _ clock: Clock,
        _ verdict: AcceptedTime.Verdict, _ shows: inout Int
    ) -> Tick? {
        var wake: Tick?
        var isStored = true
        for effect in machine.handle(event, at: reading(clock), using: &generator) {
            switch effect {
            case .highWater(let epoch):
                // One save in twenty fails or is cut off by a crash.
                isStored = Int.random(in: 0..<20, using: &generator) > 0
                if isStored { highWater = max(highWater ?? epoch, epoch) } else { failedSaves += 1 }
            case .publish(let epoch):
                guard isStored || fault == .showsUnstored else { break }
                shows += 1
                show(epoch, clock, verdict)
            case .wake(let tick): wake = tick
            case .forget, .goQuiet, .closeUnauthenticatedLinks, .retire, .prepare: break
            }
        }
        return wake
    }

    private mutating func show(_ epoch: Epoch, _ clock: Clock, _ verdict: AcceptedTime.Verdict) {
        result.shown += 1
        switch clock {
        case .tenYearsAhead, .tenYearsBehind, .none:
            fail("epoch \(epoch.number) is shown by a clock that is years wrong")
        case .right, .daysAhead: break
        }
        if verdict != .accepted { fail("epoch \(epoch.number) is shown while time is not accepted") }
        if highWater.map({ $0 < epoch }) ?? true { fail("epoch \(epoch.number) is shown and not stored") }
        if let shown, shown.generation == generation, epoch < shown.latest {
            fail("epoch \(epoch.number) is shown after \(shown.latest.number) in generation \(generation)")
        }
        shown = (max(epoch, shown?.generation == generation ? shown?.latest ?? epoch : epoch), generation)
    }
}

/// How often grants of a span lapse for pairs who meet at random.
package enum Lapses {
    /// Returns how many of these pairs lose each other in a year: they meet after times that are exponentially
    /// distributed, and renew at every meeting the grant that then lasts `days`.
    package static func count(pairs: Int, days: Double, meanDays: Double, seed: UInt64) -> Int {
        var generator = SimulationGenerator(seed: seed)
        var lapsed = 0
        for _ in 0..<pairs {
            var time = 0.0, end = days
            while time < 365 {
                // The logarithm of a uniform number, by halving: no function of a system library is needed.
                time += meanDays * exponential(&generator)
                guard time < 365 else { break }
                if time > end {
                    lapsed += 1
                    break
                }
                end = time + days
            }
            if time >= 365, end < 365 { lapsed += 1 }
        }
        return lapsed
    }

    /// An exponentially distributed number with mean 1 (von Neumann's comparison method).
    private static func exponential(_ generator: inout SimulationGenerator) -> Double {
        var whole = 0.0
        while true {
            let first = Double.random(in: 0..<1, using: &generator)
            var last = first
            var length = 1
            while true {
                let next = Double.random(in: 0..<1, using: &generator)
                if next >= last { break }
                last = next
                length += 1
            }
            if length % 2 == 1 { return whole + first }
            whole += 1
        }
    }
}

import InklingEngine
import InklingKeys
import InklingTesting
import Testing

/// A device with both state machines of rotation, driven by random events and clock errors.
@Suite struct `Random walks of rotation` {
    /// Covers INK-KEY-025, INK-ROT-030.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `epochs never go back, and nothing is shown or erased without accepted time`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var history:
            [(milliseconds: Int, ahead: Int, event: RotationMachine.Event, effects: [RotationMachine.Effect])] = []
        var stored: Epoch?
        var machine = RotationMachine(highWater: nil)
        var time = AcceptedTime(latest: nil)
        var milliseconds = 0
        var ahead = 0
        var wake: Tick?
        var isAccepted = false
        var shown: Epoch?
        var prepared: Set<Epoch> = []
        var forgotten: Period?

        func fail(_ what: String, _ place: SourceLocation = #_sourceLocation) {
            let events = history.map { "\($0.milliseconds) ahead \($0.ahead): \($0.event) -> \($0.effects)" }
            Issue.record("seed \(seed): \(what)\n\(events.joined(separator: "\n"))", sourceLocation: place)
        }

        for _ in 0..<400 {
            let jump = Int.random(in: 0..<100, using: &generator)
            if let wake, jump < 60 {
                milliseconds = max(milliseconds, Int(wake.milliseconds - tick(0).milliseconds))
            } else {
                milliseconds += Int.random(in: 0...[100, 20_000, 900_000, 8_000_000][jump % 4], using: &generator)
            }
            if jump >= 97 {
                ahead += [-7200, 3 * 86_400, -60, 60, 130, -130].randomElement(using: &generator) ?? 0
            }
            let now = reading(milliseconds, ahead: ahead)
            var events: [RotationMachine.Event] = []
            switch Int.random(in: 0..<24, using: &generator) {
            case 0: events = [.networkChanged]
            case 1: events = [.visibilityChanged(isVisible: Bool.random(using: &generator))]
            case 2: events = [.fallingAsleep]
            case 3...4: events = [.wokeUp]
            case 5: events = [.timeRefused]
            case 6...12:
                let error: UInt64? = Bool.random(using: &generator) ? 1000 : nil
                switch time.judge(.init(reading: now, asleep: .zero, kernelMaximumError: error)).verdict {
                case .accepted: events = [.timeAccepted]
                case .refused: events = [.timeRefused]
                }
            case 13:
                // After a crash, only the stored state is left.
                machine = RotationMachine(highWater: stored)
                time = AcceptedTime(latest: time.latest)
                shown = nil
                isAccepted = false
                wake = nil
                // Erasing what is erased already has no effect, so that the machine does not store it.
                forgotten = nil
                events = [.started]
            case 14: events = [.started, .visibilityChanged(isVisible: true), .wokeUp]
            default: events = [.timerFired]
            }
            for event in events {
                if event == .timeAccepted { isAccepted = true }
                if event == .timeRefused { isAccepted = false }
                let wasShown = shown
                let effects = machine.handle(event, at: now, using: &generator)
                history.append((milliseconds, ahead, event, effects))
                var highWaterNow: Epoch?
                for effect in effects {
                    switch effect {
                    case .goQuiet(let goodbye):
                        if shown == nil { fail("went quiet twice") }
                        if goodbye {
                            let left = Int((shown ?? epochZero).end) * 1000 - Int(now.unixMilliseconds)
                            if !(1...1000).contains(left) { fail("a goodbye \(left) ms before the boundary") }
                        }
                        shown = nil
                    case .closeUnauthenticatedLinks:
                        if wasShown == nil { fail("closed links during silence") }
                    case .retire(let epoch):
                        if !isAccepted { fail("retired without accepted time") }
                        if now.unixSeconds < epoch.start + 120 { fail("retired too early") }
                    case .forget(let period):
                        if !isAccepted { fail("erased keys without accepted time") }
                        if period.firstEpoch.start > now.unixSeconds { fail("erased keys of the future") }
                        if let forgotten, period < forgotten { fail("the erased periods go back") }
                        forgotten = period
                    case .prepare(let epoch):
                        prepared.insert(epoch)
                    case .highWater(let epoch):
                        if let stored, epoch <= stored { fail("the high-water mark does not rise") }
                        stored = epoch
                        highWaterNow = epoch
                    case .publish(let epoch):
                        if !isAccepted { fail("published without accepted time") }
                        if Epoch(containing: now.unixSeconds) != epoch {
                            fail("published another epoch than the current one")
                        }
                        if shown != nil { fail("published twice") }
                        if wasShown != nil, event == .timerFired, wasShown == epoch { fail("published without a gap") }
                        if stored != epoch { fail("published before the high-water mark was stored") }
                        if let highWaterNow, highWaterNow != epoch { fail("stored another epoch") }
                        if !prepared.contains(epoch) { fail("published an epoch that was not prepared") }
                        shown = epoch
                    case .wake(let moment):
                        if moment <= now.tick { fail("a wake in the past") }
                        wake = moment
                    }
                }
                if machine.shown != shown { fail("the machine reports another epoch as shown") }
                if shown != nil, !isAccepted { fail("shown without accepted time") }
            }
        }
    }
}

import InklingEngine
import InklingKeys
import InklingTesting
import Testing

/// An engine with its contacts and the table of `epochZero`. Times are real milliseconds after the start of that epoch.
struct Observer {
    var engine: RecognitionEngine
    var generator = ConstantGenerator(value: 0)

    init(_ people: [PredictedContact], policy: RecognitionPolicy = RecognitionPolicy()) {
        engine = RecognitionEngine(policy: policy)
        for person in people { send(.contactAdded(person.contact), 0) }
        send(.tableReplaced(PredictedTable(of: people, around: epochZero)), 0)
    }

    /// Sends an event and returns its effects without `wake`, and without arrivals and departures, which follow from
    /// the states.
    @discardableResult
    mutating func send(
        _ event: RecognitionEngine.Event, _ milliseconds: Int, ahead: Int = 0
    ) -> [RecognitionEngine.Effect] {
        engine.handle(event, at: reading(milliseconds, ahead: ahead), using: &generator).filter {
            switch $0 {
            case .wake, .arrived, .left: false
            default: true
            }
        }
    }

    @discardableResult
    mutating func see(_ name: OpaqueServiceName, _ milliseconds: Int) -> [RecognitionEngine.Effect] {
        send(.nameAppeared(name, observed: ObservedTime(at: reading(milliseconds))), milliseconds)
    }
}

private let minute = 60_000
private let quarter = 900_000

@Suite struct `Recognition of contacts by name` {
    @Test func `a contact's name makes it probable and leads to one attempt`() {
        var observer = Observer([person(ada), person(bo)])
        expectEqual(
            observer.see(name(of: ada, epochZero), minute),
            [.stateChanged(ada, from: .unseen, to: .probable), .confirm(attempt(ada, epochZero))])
        expectEqual(observer.engine.state(of: bo), .unseen)
    }

    /// Covers INK-RCG-001.
    @Test func `a stranger's name has no effect`() {
        var observer = Observer([person(ada)])
        expectEqual(observer.see(stranger(1), minute), [])
        expectEqual(observer.engine.state(of: ada), .unseen)
    }

    /// Covers INK-ID-017, INK-RCG-015.
    @Test func `a name that two contacts may show makes both candidates and leads to attempts at both`() {
        var observer = Observer([person(ada), person(bo, root: 1)])
        let effects = observer.see(name(of: ada, epochZero), minute)
        expectEqual(
            effects,
            [
                .stateChanged(ada, from: .unseen, to: .candidate), .stateChanged(bo, from: .unseen, to: .candidate),
                .confirm(attempt(ada, epochZero)),
            ])
        // One of the two simultaneous attempts is reserved for recently confirmed contacts.
        let next = observer.send(.attemptFailed(attempt(ada, epochZero), .silent), minute + 100)
        expectEqual(next, [.confirm(Attempt(name: name(of: ada, epochZero), prediction: prediction(bo, epochZero)))])
    }

    /// Covers INK-RCG-016.
    @Test func `only a handshake confirms a contact`() {
        var observer = Observer([person(ada, devices: [0, 1])])
        observer.see(name(of: ada, epochZero), 0)
        observer.see(name(of: ada, epochZero, device: 1), 1000)
        for step in 1..<14 {
            observer.send(.timerFired, step * minute)
            expectEqual(observer.engine.state(of: ada), .probable)
        }
        expectEqual(
            observer.send(.confirmed(ada, .first, .responder), 14 * minute),
            [.stateChanged(ada, from: .probable, to: .confirmed(at: tick(14 * minute)))])
    }

    /// Covers INK-RCG-017.
    @Test func `a contact that starts the handshake itself is confirmed without any sighting`() {
        var observer = Observer([person(ada)])
        expectEqual(
            observer.send(.confirmed(ada, .first, .responder), 500),
            [.stateChanged(ada, from: .unseen, to: .confirmed(at: tick(500)))])
    }

    /// Covers INK-RCG-051.
    @Test func `a handshake with an unknown contact has no effect`() {
        var observer = Observer([person(ada)])
        expectEqual(observer.send(.confirmed(bo, .first, .responder), 500), [])
        expectEqual(observer.engine.state(of: bo), nil)
    }

    /// Covers INK-RCG-010.
    @Test func `a name that appears in the window of a neighbouring epoch counts`() {
        var observer = Observer([person(ada)])
        expectEqual(observer.see(name(of: ada, epoch(-1)), 119_999).count, 2)
        var early = Observer([person(ada)])
        expectEqual(early.see(name(of: ada, epoch(1)), quarter - 120_000).count, 2)
    }

    /// Covers INK-RCG-011.
    @Test func `a name outside its window is reported and is no evidence`() {
        var observer = Observer([person(ada)])
        expectEqual(observer.see(name(of: ada, epoch(-1)), 120_000), [.outsideWindow([prediction(ada, epoch(-1))])])
        expectEqual(
            observer.see(name(of: ada, epoch(1)), quarter - 120_001), [.outsideWindow([prediction(ada, epoch(1))])])
        expectEqual(observer.engine.state(of: ada), .unseen)
    }

    /// Covers INK-ID-015, INK-RCG-012.
    @Test func `a name that is reported late but was observed in its window counts`() {
        var observer = Observer([person(ada)])
        let observed = ObservedTime(at: reading(0))
        let effects = observer.send(.nameAppeared(name(of: ada, epoch(-1)), observed: observed), 130_000)
        // Its window closed ten seconds ago, which is recent enough for `probable` and too late for an attempt.
        expectEqual(effects, [.stateChanged(ada, from: .unseen, to: .probable)])
        expectEqual(
            observer.send(.timerFired, 150_000), [.stateChanged(ada, from: .probable, to: .stale(confirmedAt: nil))])
    }

    /// Covers INK-ID-015, INK-RCG-010.
    @Test func `an uncertain observation counts if it may have been inside the window`() {
        var observer = Observer([person(ada)])
        let observed = ObservedTime(
            unixMilliseconds: reading(130_000).unixMilliseconds, uncertainty: .milliseconds(10_001))
        expectEqual(observer.send(.nameAppeared(name(of: ada, epoch(-1)), observed: observed), 130_000).count, 1)
        var other = Observer([person(ada)])
        let outside = ObservedTime(
            unixMilliseconds: reading(130_000).unixMilliseconds, uncertainty: .milliseconds(10_000))
        expectEqual(
            other.send(.nameAppeared(name(of: ada, epoch(-1)), observed: outside), 130_000),
            [.outsideWindow([prediction(ada, epoch(-1))])])
    }

    /// Covers INK-RCG-013.
    @Test func `a name that stays beyond its window no longer keeps a contact present`() {
        var observer = Observer([person(ada)])
        observer.see(name(of: ada, epoch(-1)), 1000)
        expectEqual(observer.engine.state(of: ada), .probable)
        expectEqual(
            observer.send(.timerFired, 120_000 + 30_000),
            [
                .stateChanged(ada, from: .probable, to: .stale(confirmedAt: nil))
            ])
        expectEqual(
            observer.send(.timerFired, 120_000 + 120_000),
            [
                .stateChanged(ada, from: .stale(confirmedAt: nil), to: .gone)
            ])
    }

    /// Covers INK-RCG-014.
    @Test func `a name that is seen too early counts once its window opens`() {
        var observer = Observer([person(ada)])
        observer.see(name(of: ada, epoch(1)), 700_000)
        expectEqual(observer.send(.timerFired, quarter - 120_001), [])
        expectEqual(observer.send(.timerFired, quarter - 120_000).count, 2)
    }

    /// Covers INK-RCG-004.
    @Test func `an unknown name is looked up again when the table is replaced`() {
        var observer = Observer([person(ada)])
        observer.see(name(of: bo, epochZero), 1000)
        observer.send(.contactAdded(bo), 2000)
        let table = PredictedTable(of: [person(ada), person(bo)], around: epochZero)
        expectEqual(
            observer.send(.tableReplaced(table), 3000),
            [.stateChanged(bo, from: .unseen, to: .probable), .confirm(attempt(bo, epochZero))])
    }
}

@Suite struct `Presence of contacts` {
    /// Covers INK-RCG-030.
    @Test func `a vanished name is not a departure before the departure timer`() {
        var observer = Observer([person(ada)])
        observer.see(name(of: ada, epochZero), 0)
        observer.send(.confirmed(ada, .first, .initiator), 100)
        observer.send(.sessionEnded(ada, .first), 200)
        expectEqual(observer.send(.nameVanished(name(of: ada, epochZero)), 10_000), [])
        expectEqual(observer.send(.timerFired, 39_999), [])
        expectEqual(
            observer.send(.timerFired, 40_000),
            [.stateChanged(ada, from: .confirmed(at: tick(100)), to: .stale(confirmedAt: tick(100)))])
        expectEqual(observer.send(.timerFired, 129_999), [])
        expectEqual(
            observer.send(.timerFired, 130_000), [.stateChanged(ada, from: .stale(confirmedAt: tick(100)), to: .gone)])
    }

    /// Covers INK-RCG-031.
    @Test func `a departure timer below thirty seconds becomes thirty seconds`() {
        var policy = RecognitionPolicy()
        policy.departAfter = .seconds(1)
        expectEqual(policy.departAfter, .seconds(30))
    }

    /// Covers INK-RCG-004, INK-REC-033.
    @Test func `a contact whose epoch changes between two sightings stays confirmed`() {
        var observer = Observer([person(ada)])
        observer.see(name(of: ada, epochZero), 600_000)
        observer.send(.confirmed(ada, .first, .initiator), 600_500)
        observer.send(.sessionEnded(ada, .first), 601_000)
        observer.send(.namesForgotten, quarter - 1000)
        observer.send(.tableReplaced(PredictedTable(of: [person(ada)], around: epoch(1))), quarter)
        expectEqual(observer.see(name(of: ada, epoch(1)), quarter + 11_000), [.confirm(attempt(ada, epoch(1)))])
        expectEqual(observer.engine.state(of: ada), .confirmed(at: tick(600_500)))
    }

    /// Covers INK-RCG-018.
    @Test func `names alone keep a contact confirmed for two epochs at most`() {
        var observer = Observer([person(ada)])
        observer.send(.confirmed(ada, .first, .responder), 0)
        observer.send(.sessionEnded(ada, .first), 0)
        for step in 0..<4 {
            observer.send(.tableReplaced(PredictedTable(of: [person(ada)], around: epoch(step))), step * quarter)
            observer.see(name(of: ada, epoch(step)), step * quarter + 1000)
            if step == 1 { expectEqual(observer.engine.state(of: ada), .confirmed(at: tick(0))) }
            observer.send(.nameVanished(name(of: ada, epoch(step))), (step + 1) * quarter - 1000)
        }
        expectEqual(observer.engine.state(of: ada), .probable)
    }

    /// Covers INK-RCG-032, INK-RCG-033.
    @Test func `an open session keeps a contact present only while records arrive`() {
        var observer = Observer([person(ada)])
        observer.send(.confirmed(ada, .first, .initiator), 0)
        observer.send(.sessionHeard(ada, .first), 800_000)
        expectEqual(observer.send(.timerFired, 1_700_000), [])
        expectEqual(
            observer.send(.timerFired, 1_730_000),
            [.stateChanged(ada, from: .confirmed(at: tick(0)), to: .stale(confirmedAt: tick(0)))])
        expectEqual(
            observer.send(.timerFired, 1_820_000), [.stateChanged(ada, from: .stale(confirmedAt: tick(0)), to: .gone)])
        // The session ended with the presence, so that a later record in it is no arrival.
        expectEqual(observer.send(.sessionHeard(ada, .first), 1_830_000), [])
    }

    /// Covers INK-RCG-030.
    @Test func `the end of a session is not a departure`() {
        var observer = Observer([person(ada)])
        observer.send(.confirmed(ada, .first, .initiator), 0)
        expectEqual(observer.send(.sessionEnded(ada, .first), 500_000), [])
        expectEqual(observer.send(.timerFired, 529_999), [])
        expectEqual(observer.send(.timerFired, 530_000).count, 1)
    }

    /// Covers INK-RCG-019.
    @Test func `all devices of a contact count as one presence`() throws {
        let second = try #require(DeviceIndex(1))
        var observer = Observer([person(ada, devices: [0, 1])])
        observer.send(.confirmed(ada, .first, .responder), 0)
        expectEqual(
            observer.send(.confirmed(ada, second, .responder), 1000),
            [.stateChanged(ada, from: .confirmed(at: tick(0)), to: .confirmed(at: tick(1000)))])
        expectEqual(observer.send(.sessionEnded(ada, .first), 2000), [])
        expectEqual(observer.send(.timerFired, 100_000), [])
    }

    /// Covers INK-RCG-035.
    @Test func `removing a present contact reports its departure`() {
        var observer = Observer([person(ada)])
        observer.see(name(of: ada, epochZero), 0)
        observer.send(.confirmed(ada, .first, .initiator), 0)
        expectEqual(
            observer.send(.contactRemoved(ada), 100), [.stateChanged(ada, from: .confirmed(at: tick(0)), to: .gone)])
        expectEqual(observer.engine.state(of: ada), nil)
        expectEqual(observer.send(.timerFired, 200), [])
    }

    /// Covers INK-RCG-013.
    @Test(arguments: [-7200, 3 * 86_400, 3650 * 86_400])
    func `after a jump of the clock, a name that is still present is no longer evidence`(ahead: Int) {
        var observer = Observer([person(ada)])
        observer.see(name(of: ada, epochZero), 200_000)
        expectEqual(observer.send(.timerFired, 201_000, ahead: ahead), [])
        expectEqual(
            observer.send(.timerFired, 231_000, ahead: ahead),
            [.stateChanged(ada, from: .probable, to: .stale(confirmedAt: nil))])
        expectEqual(
            observer.send(.timerFired, 321_000, ahead: ahead),
            [.stateChanged(ada, from: .stale(confirmedAt: nil), to: .gone)])
    }

    @Test func `asks to be woken when time alone can change a state`() {
        var engine = RecognitionEngine()
        var generator = ConstantGenerator(value: 0)
        _ = engine.handle(.contactAdded(ada), at: reading(0), using: &generator)
        let effects = engine.handle(.confirmed(ada, .first, .responder), at: reading(0), using: &generator)
        expectEqual(effects.last, .wake(at: tick(930_000)))
        expectEqual(
            engine.handle(.sessionEnded(ada, .first), at: reading(1000), using: &generator), [.wake(at: tick(31_000))])
    }
}

@Suite struct `Example of the recognition page` {
    @Test func `the engine behaves as the page describes`() {
        let root = SecretBytes(copying: [UInt8](0x20...0x3f).span)
        let grant = HeldGrant(audience: .granted(7), devices: [.first], tree: SecretBox(AudienceTree(root: root)))
        let people = [PredictedContact(ada, grants: [grant])]
        let first = OpaqueServiceName(Octets16(high: 0xee86_ffa3_9982_5968, low: 0xe402_a683_2c86_3656))
        let second = OpaqueServiceName(Octets16(high: 0x4bfc_5b50_1e84_69ba, low: 0xa43d_07fb_db67_b3e8))
        let confirmed = PresenceState.confirmed(at: tick(240_800))
        var observer = Observer(people)
        // The delay before an attempt is 700 ms, of 0 to 1,000.
        observer.generator = ConstantGenerator(value: 700)
        expectEqual(observer.see(first, 240_000), [.stateChanged(ada, from: .unseen, to: .probable)])
        expectEqual(
            observer.send(.timerFired, 240_700),
            [.confirm(Attempt(name: first, prediction: prediction(ada, epochZero)))])
        expectEqual(
            observer.send(.confirmed(ada, .first, .initiator), 240_800),
            [.stateChanged(ada, from: .probable, to: confirmed)])
        expectEqual(observer.send(.sessionEnded(ada, .first), 500_000), [])
        expectEqual(observer.send(.nameVanished(first), 899_000), [])
        expectEqual(
            observer.send(.timerFired, 929_000),
            [.stateChanged(ada, from: confirmed, to: .stale(confirmedAt: tick(240_800)))])
        expectEqual(
            observer.see(second, 931_000), [.stateChanged(ada, from: .stale(confirmedAt: tick(240_800)), to: confirmed)]
        )
        expectEqual(
            observer.send(.timerFired, 931_700),
            [.confirm(Attempt(name: second, prediction: prediction(ada, epoch(1))))])
        expectEqual(observer.see(first, 1_000_000), [])
        expectEqual(observer.send(.nameVanished(first), 1_001_000), [])
        expectEqual(observer.see(first, 1_030_000), [.outsideWindow([prediction(ada, epochZero)])])
    }
}

import InklingEngine
import InklingKeys
import InklingTesting
import Testing

private let minute = 60_000
private let quarter = 900_000

@Suite struct `Evidence of minors` {
    @Test func `a minor makes its contact probable and does not confirm it`() {
        var observer = RadioObserver([values(ada, minor: 7), values(bo, minor: 8)])
        expectEqual(observer.hear(7, from: 1, minute), [.stateChanged(ada, from: .unseen, to: .probable)])
        expectEqual(observer.engine.state(of: bo), .unseen)
        for second in 61..<600 { observer.hear(7, from: 1, second * 1000) }
        expectEqual(observer.engine.state(of: ada), .probable)
    }

    @Test func `repeated sightings of a minor at one address in one epoch count once`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.hearStrangers(100, 0)
        observer.hear(7, from: 1, minute)
        let once = observer.posterior(of: ada)
        for second in 61..<80 { observer.hear(7, from: 1, second * 1000) }
        expectEqual(observer.posterior(of: ada), once)
    }

    @Test(arguments: [(1, 62_259), (5, 62_259), (20, 61_377), (100, 48_952), (1000, 14_936)])
    func `the posterior follows Bayes' theorem for the number of strangers, up to the cap`(
        strangers: Int, expected: UInt64
    ) {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.hearStrangers(strangers - 1, 0)
        observer.hear(7, from: 1, 1000)
        expectEqual(observer.posterior(of: ada), expected)
        let exact = 0.005 * 0.9 / (0.005 * 0.9 + Double(strangers) / 65_536)
        #expect(abs(Double(expected) / 65_536 - min(exact, 0.95)) < 0.002)
    }

    @Test func `contacts who share a minor share its weight and become candidates at most`() {
        var rare = ContactOptions()
        rare.prior = 33
        var observer = RadioObserver(
            [values(ada, minor: 7), values(bo, minor: 7), values(cy, minor: 7)], options: [cy: rare])
        let effects = observer.hear(7, from: 1, minute)
        expectEqual(
            changes(effects),
            [
                .stateChanged(ada, from: .unseen, to: .candidate), .stateChanged(bo, from: .unseen, to: .candidate),
            ])
        expectEqual(observer.posterior(of: ada), observer.posterior(of: bo))
        #expect((31_000..<31_300).contains(observer.posterior(of: ada)))
        // With its low prior, this contact is not even a candidate beside two more likely ones.
        #expect(observer.posterior(of: cy) < 3277)
    }

    @Test func `in a crowd one match makes a candidate, and a match in the next epoch makes it probable`() {
        var observer = RadioObserver([values(ada, minor: 7), values(ada, minor: 9, epoch(1))])
        observer.hearStrangers(400, 0)
        observer.hear(7, from: 1, quarter - 5000)
        expectEqual(observer.engine.state(of: ada), .candidate)
        observer.table(epoch(1), quarter)
        for number in 0..<400 { observer.hear(UInt16(50_000 + number), from: 2_000_000 + UInt64(number), quarter) }
        observer.hear(9, from: 2, quarter + 5000)
        expectEqual(observer.engine.state(of: ada), .probable)
    }

    @Test func `the posterior falls after each radio gap in which nothing is heard, and not earlier`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.send(.radioGapChanged(.milliseconds(10_000)), 0)
        observer.hear(7, from: 1, 1000)
        observer.send(.timerFired, 10_999)
        expectEqual(observer.engine.state(of: ada), .probable)
        expectEqual(observer.send(.timerFired, 11_000), [.stateChanged(ada, from: .probable, to: .candidate)])
        expectEqual(observer.posterior(of: ada), 62_259 * 65_536 / (62_259 + 10 * (65_536 - 62_259)))
        expectEqual(
            observer.send(.timerFired, 31_000), [.stateChanged(ada, from: .candidate, to: .stale(confirmedAt: nil))])
        expectEqual(
            observer.send(.timerFired, 121_000), [.stateChanged(ada, from: .stale(confirmedAt: nil), to: .gone)])
    }

    /// Covers INK-BLE-038.
    @Test func `no contact becomes stale before a slow radio can hear it again`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.send(.radioGapChanged(.milliseconds(300_000)), 0)
        observer.hear(7, from: 1, 1000)
        observer.send(.timerFired, 300_999)
        expectEqual(observer.engine.state(of: ada), .probable)
        observer.send(.timerFired, 301_000)
        expectEqual(observer.engine.state(of: ada), .gone)
    }

    @Test func `a minor that is reported late but was observed in its epoch counts from then`() {
        var observer = RadioObserver([values(ada, minor: 7, epoch(-1))])
        expectEqual(
            observer.hear(7, from: 1, 165_000, observed: 110_000),
            [.stateChanged(ada, from: .unseen, to: .stale(confirmedAt: nil))])
        // Reported so late that the contact has left since.
        var later = RadioObserver([values(ada, minor: 7, epoch(-1))])
        expectEqual(later.hear(7, from: 1, 300_000, observed: 110_000), [])
        expectEqual(later.engine.state(of: ada), .unseen)
    }

    /// Covers INK-ID-015, INK-RCG-010.
    @Test(arguments: [(0 as UInt64, false), (1, true)])
    func `an uncertain observation counts if it may have been inside the window`(uncertainty: UInt64, counts: Bool) {
        var observer = RadioObserver([values(ada, minor: 7, epoch(-1))])
        observer.hear(7, from: 1, 130_000, observed: 120_000, uncertainty: uncertainty)
        expectEqual(observer.engine.state(of: ada), (counts ? .probable : .unseen))
    }
}

@Suite struct `Copies of minors` {
    @Test func `two addresses that show a minor at the same time make it contested, which is reported once`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.hear(7, from: 1, 1000)
        expectEqual(observer.hear(7, from: 2, 2000), [])
        let effects = observer.hear(7, from: 1, 3000)
        expectEqual(
            Array(effects.prefix(2)),
            [.contested([prediction(ada, epochZero)]), .stateChanged(ada, from: .probable, to: .candidate)])
        expectEqual(attempted(effects), [ada])
        expectEqual(observer.hear(7, from: 2, 4000).contains(.contested([prediction(ada, epochZero)])), false)
        expectEqual(observer.posterior(of: ada), 328)
    }

    @Test func `an address that replaces another does not make a minor contested and adds no evidence`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.hearStrangers(100, 0)
        observer.hear(7, from: 1, 1000)
        observer.hear(7, from: 1, 5000)
        let before = observer.posterior(of: ada)
        expectEqual(changes(observer.hear(7, from: 2, 6000)), [])
        expectEqual(observer.posterior(of: ada), before)
    }

    @Test func `addresses that may have replaced each other do not make a minor contested`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.hear(7, from: 1, 1000)
        observer.hear(7, from: 1, 5000)
        #expect(
            !observer.hear(7, from: 2, 6000, observed: 4500, uncertainty: 600).contains(
                .contested([prediction(ada, epochZero)])))
        expectEqual(
            observer.hear(7, from: 2, 7000, observed: 4500, uncertainty: 400),
            [
                .contested([prediction(ada, epochZero)]), .stateChanged(ada, from: .probable, to: .candidate),
            ])
    }

    @Test func `a contested minor does not keep a confirmed contact present, and an uncontested one does`() {
        func departure(isContested: Bool) -> Int? {
            var observer = RadioObserver([values(ada, minor: 7)])
            observer.send(.confirmed(ada, .first, .responder), 0)
            observer.send(.sessionEnded(ada, .first), 1000)
            for second in 1..<200 {
                observer.hear(7, from: 1, second * 1000)
                if isContested { observer.hear(7, from: 2, second * 1000 + 1) }
            }
            for second in 200..<600 where observer.send(.timerFired, second * 1000).contains(.left(ada)) {
                return second
            }
            return nil
        }
        expectEqual(departure(isContested: true), nil)
        expectEqual(departure(isContested: false), 199 + 120)
    }

    /// Covers INK-BLE-055.
    @Test func `a name keeps a contact present while its minor is contested, and a minor when its name has vanished`() {
        func departure(hasName: Bool, isContested: Bool) -> Int? {
            let shown = values(ada, minor: 7)
            var observer = RadioObserver([shown])
            observer.send(.nameAppeared(shown.name, observed: ObservedTime(at: reading(0))), 0)
            observer.send(.confirmed(ada, .first, .responder), 0)
            observer.send(.sessionEnded(ada, .first), 1000)
            if !hasName { observer.send(.nameVanished(shown.name), 2000) }
            var left: Int?
            for second in 3..<400 {
                var effects = observer.hear(7, from: 1, second * 1000)
                if isContested { effects += observer.hear(7, from: 2, second * 1000 + 1) }
                if effects.contains(.left(ada)) { left = left ?? second }
            }
            return left
        }
        expectEqual(departure(hasName: true, isContested: true), nil)
        expectEqual(departure(hasName: false, isContested: false), nil)
        // Without either, the departure timer runs from the only sighting before the second address.
        expectEqual(departure(hasName: false, isContested: true), 123)
    }

    @Test func `a minor after its window is reported once, and its address is distrusted from then on`() {
        var observer = RadioObserver([values(ada, minor: 7, epoch(-1)), values(ada, minor: 9)])
        expectEqual(observer.hear(7, from: 1, 120_000), [.outsideWindow([prediction(ada, epoch(-1))])])
        expectEqual(observer.hear(7, from: 1, 121_000), [])
        expectEqual(observer.hear(9, from: 1, 122_000), [])
        expectEqual(observer.engine.state(of: ada), .unseen)
        expectEqual(changes(observer.hear(9, from: 2, 123_000)), [.stateChanged(ada, from: .unseen, to: .probable)])
    }

    @Test func `a minor before its window is reported, and its address is believed once the window opens`() {
        var observer = RadioObserver([values(ada, minor: 7, epoch(1))])
        expectEqual(observer.hear(7, from: 1, quarter - 120_001), [.outsideWindow([prediction(ada, epoch(1))])])
        expectEqual(
            changes(observer.hear(7, from: 1, quarter - 120_000)), [.stateChanged(ada, from: .unseen, to: .probable)])
    }

    @Test func `distrusts an address that shows more than three minors in an epoch`() {
        var observer = RadioObserver([values(ada, minor: 7), values(bo, minor: 8)])
        observer.hear(7, from: 1, 1000)
        observer.hear(100, from: 1, 1100)
        observer.hear(101, from: 1, 1200)
        expectEqual(observer.engine.state(of: ada), .probable)
        observer.hear(102, from: 1, 1300)
        expectEqual(observer.posterior(of: ada), 328)
        expectEqual(observer.hear(8, from: 1, 1400), [])
        expectEqual(observer.engine.state(of: bo), .unseen)
    }

    @Test func `an address of a stranger is no evidence until it shows another minor`() {
        var observer = RadioObserver([values(ada, minor: 7), values(bo, minor: 8)])
        let tried = observer.hearTwice(7, from: 1, 2000)
        let attempt = Attempt(.minor(BeaconMinor(7), from: address(1)), prediction(ada, epochZero))
        #expect(tried.contains(.confirm(attempt)))
        observer.send(.attemptFailed(attempt, .stranger), 3000)
        expectEqual(observer.posterior(of: ada), 328)
        expectEqual(observer.hear(7, from: 1, 4000), [])
        #expect(changes(observer.hear(8, from: 1, 5000)).contains(.stateChanged(bo, from: .unseen, to: .probable)))
        expectEqual(observer.engine.lastFailure(of: ada), .stranger)
    }
}

@Suite struct `Tags and overflow hits` {
    @Test func `a tag that only one contact shows makes it probable and leads to an attempt at its address`() {
        let shown = values(ada, minor: 7)
        var observer = RadioObserver([shown, values(bo, minor: 8)])
        observer.hearTwice(500, from: 1, 2000)
        let effects = observer.send(.tagRead(shown.tag, address(1), observed: ObservedTime(at: reading(2100))), 2100)
        expectEqual(
            effects,
            [
                .stateChanged(ada, from: .unseen, to: .probable),
                .confirm(Attempt(.tag(shown.tag, from: address(1)), prediction(ada, epochZero))),
            ])
    }

    @Test func `a tag outside its window is reported and is no evidence`() {
        let shown = values(ada, minor: 7, epoch(-1))
        var observer = RadioObserver([shown])
        let effects = observer.send(
            .tagRead(shown.tag, address(1), observed: ObservedTime(at: reading(120_000))), 120_000)
        expectEqual(effects, [.outsideWindow([prediction(ada, epoch(-1))])])
        expectEqual(observer.engine.state(of: ada), .unseen)
    }

    @Test func `a tag that matches no contact voids the minor of its address`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.hear(7, from: 1, 1000)
        let unknown = RecognitionTag(Octets16(high: 9, low: 9))
        observer.send(.tagRead(unknown, address(1), observed: ObservedTime(at: reading(1100))), 1100)
        expectEqual(observer.posterior(of: ada), 328)
        expectEqual(observer.hear(7, from: 1, 2000), [])
    }

    @Test func `an overflow hit leads to the reading of a tag and is no evidence`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        func hit(_ milliseconds: Int) -> RecognitionEngine.Event {
            .overflowHeard(address(1), observed: ObservedTime(at: reading(milliseconds)))
        }
        expectEqual(observer.send(hit(0), 0), [])
        expectEqual(observer.send(hit(999), 999), [])
        expectEqual(observer.send(hit(1000), 1000), [.readTag(address(1))])
        // A tag is read only once in an epoch.
        expectEqual(observer.send(hit(20_000), 20_000), [])
        expectEqual(observer.send(hit(quarter), quarter), [.readTag(address(1))])
        expectEqual(observer.engine.state(of: ada), .unseen)
    }

    /// Covers INK-BLE-031.
    @Test func `at most two readings start in a minute, and attempts keep their part of the budget`() {
        var observer = RadioObserver((1...9).map { values(ContactID(rawValue: $0), minor: UInt16($0)) })
        var readings: [RecognitionEngine.Effect] = []
        for second in 0..<4 {
            for number in 1...8 as ClosedRange<UInt64> {
                let event = RecognitionEngine.Event.overflowHeard(
                    address(number), observed: ObservedTime(at: reading(second * 1000)))
                readings += observer.send(event, second * 1000)
                if let started = readings.last, case .readTag(let address) = started {
                    observer.send(
                        .tagRead(nil, address, observed: ObservedTime(at: reading(second * 1000))), second * 1000)
                }
            }
        }
        expectEqual(readings, [.readTag(address(1)), .readTag(address(2))])
        var contacts: [ContactID] = []
        for number in 1...9 {
            let tried = observer.hearTwice(UInt16(number), from: 100 + UInt64(number), 10_000 + number * 1000)
            contacts += attempted(tried)
            for case .confirm(let attempt) in tried {
                observer.send(.attemptFailed(attempt, .silent), 10_000 + number * 1000)
            }
        }
        expectEqual(contacts.map(\.rawValue), [1, 2, 3])
    }

    @Test func `decoys are drawn once for each stranger and epoch, and never unless the policy permits them`() {
        for decoys in [0, 40_000, 65_535] as [UInt16] {
            var policy = RecognitionPolicy()
            policy.decoys = decoys
            var observer = RadioObserver([values(ada, minor: 7)], policy: policy)
            observer.generator = ConstantGenerator(value: 50_000 << 16 | 40_000)
            var readings: [RecognitionEngine.Effect] = []
            for second in 0..<60 {
                readings += observer.hear(500, from: 1, second * 1000) + observer.send(.timerFired, second * 1000 + 500)
            }
            expectEqual(readings, (decoys == 65_535 ? [.readTag(address(1))] : []), "\(decoys)")
        }
    }
}

import InklingEngine
import InklingKeys
import Testing

@Suite struct `The bounds of what is kept of the radio` {
    private func sights(of contact: ContactID, _ observer: RadioObserver, _ milliseconds: Int) -> Int? {
        observer.engine.explanation(of: contact, at: reading(milliseconds))?.sights.count
    }

    @Test func `a distrusted address that is heard again is not forgotten in a flood of others`() {
        var policy = RecognitionPolicy()
        policy.addressLimit = 4
        var observer = RadioObserver([values(ada, minor: 7)], policy: policy)
        for minor in 40_000..<40_004 as Range<UInt16> { observer.hear(minor, from: 1, 1000) }
        for number in 0..<6 as Range<UInt64> {
            observer.hear(41_000, from: 100 + number, 2000 + Int(number))
            observer.hear(40_003, from: 1, 2000 + Int(number))
        }
        #expect(observer.hear(7, from: 1, 3000) == [])
        #expect(observer.engine.state(of: ada) == .unseen)
        #expect(observer.engine.footprint.addresses == 4)
    }

    @Test func `a minor that was heard twice is kept, and one that was heard once makes room`() {
        var policy = RecognitionPolicy()
        policy.traceLimit = 2
        var observer = RadioObserver(

            [values(ada, minor: 7), values(bo, minor: 8), values(cy, minor: 9)], policy: policy)
        observer.hear(8, from: 2, 500)
        observer.hearTwice(7, from: 1, 2000)
        observer.hear(9, from: 3, 3000)
        #expect(sights(of: ada, observer, 3000) == 1)
        #expect(sights(of: bo, observer, 3000) == 0)
        #expect(sights(of: cy, observer, 3000) == 1)
        #expect(observer.engine.footprint.traces == 2)
    }

    @Test func `nothing of a removed contact is kept, and everything of the others`() {
        let shown = [values(ada, minor: 7), values(bo, minor: 8)]
        var observer = RadioObserver(shown)
        for (one, number) in zip(shown, [1, 2] as [UInt64]) {
            observer.hearTwice(one.minor.value, from: number, 2000)
            observer.send(.tagRead(one.tag, address(number), observed: ObservedTime(at: reading(2100))), 2100)
        }
        observer.send(.contactRemoved(bo), 3000)
        #expect(observer.engine.footprint.tags == 1)
        #expect(observer.engine.footprint.traces == 1)
        #expect(sights(of: ada, observer, 3000) == 2)
        #expect(sights(of: bo, observer, 3000) == nil)
    }

    @Test func `a clock that is set forward ends the traces of the epochs that are over`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.hear(7, from: 1, 60_000)
        #expect(observer.engine.footprint.traces == 1)
        var generator = ConstantGenerator(value: 0)
        for milliseconds in [61_000, 62_000] {
            _ = observer.engine.handle(.timerFired, at: reading(milliseconds, ahead: 2000), using: &generator)
        }
        #expect(observer.engine.footprint.traces == 0)
    }
}

@Suite struct `What the engine says of itself` {
    @Test func `a moment to wake is named once, until another one takes its place`() {
        var engine = Observer([person(ada)]).engine
        var generator = ConstantGenerator(value: 0)
        func wakes(_ event: RecognitionEngine.Event, _ milliseconds: Int) -> Int {
            engine.handle(event, at: reading(milliseconds), using: &generator).count {
                if case .wake = $0 { true } else { false }
            }
        }
        #expect(wakes(.confirmed(ada, .first, .responder), 1000) == 1)
        #expect(wakes(.confirmed(bo, .first, .responder), 1001) == 0)
        #expect(wakes(.confirmed(bo, .first, .responder), 1002) == 0)
        #expect(wakes(.confirmed(ada, .first, .responder), 5000) == 1)
    }

    @Test func `a tag is a sight at one address, which is not contested`() throws {
        let shown = values(ada, minor: 7)
        var observer = RadioObserver([shown])
        observer.hearTwice(500, from: 1, 2000)
        observer.send(.tagRead(shown.tag, address(1), observed: ObservedTime(at: reading(2100))), 2100)
        let explanation = try #require(observer.engine.explanation(of: ada, at: reading(2100)))
        let sight = try #require(explanation.sights.first)
        #expect(explanation.sights.count == 1)
        #expect(sight.value == .tag(shown.tag))
        #expect(sight.isCounting && !sight.isContested)
        #expect(sight.sharers == 1 && sight.addresses == 1)
    }

    @Test func `a value outside its window is explained by its epoch and time`() throws {
        var observer = Observer([person(ada)])
        observer.see(name(of: ada, epoch(-1)), 120_000)
        let explanation = try #require(observer.engine.explanation(of: ada, at: reading(130_000)))
        #expect(explanation.outsideWindow?.epoch == epoch(-1))
        #expect(explanation.outsideWindow?.at == tick(120_000))
    }

    @Test func `a contact of which nothing was seen has no session, no plan and no attempt`() throws {
        let observer = Observer([person(ada)])
        let explanation = try #require(observer.engine.explanation(of: ada, at: reading(0)))
        #expect(!explanation.hasSession)
        #expect(!explanation.isTrying)
        #expect(explanation.state == .unseen)
        #expect(explanation.sights.isEmpty)
        #expect(explanation.planned == nil && explanation.attempted == nil && explanation.failure == nil)
        #expect(explanation.presentSince == nil && explanation.lastHeard == nil && explanation.leaves == nil)
        #expect(explanation == Explanation(), "the explanation of a contact that an engine never had")
        #expect(observer.engine.explanation(of: bo, at: reading(0)) == nil)
    }
}

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

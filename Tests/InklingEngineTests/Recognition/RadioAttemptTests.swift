import InklingEngine
import InklingKeys
import Testing

private let minute = 60_000

@Suite struct `Attempts by radio` {
    @Test func `calls an address only after two sightings that are a second apart`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        #expect(attempted(observer.hear(7, from: 1, 0)) == [])
        #expect(attempted(observer.hear(7, from: 1, 999)) == [])
        #expect(attempted(observer.send(.timerFired, 5000)) == [])
        let expected = Attempt(.minor(BeaconMinor(7), from: address(1)), prediction(ada, epochZero))
        #expect(observer.hear(7, from: 1, 5001) == [.confirm(expected)])
    }

    @Test func `an attempt by radio waits for a random delay of up to five seconds`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.generator = ConstantGenerator(value: 5000)
        observer.hear(7, from: 1, 0)
        observer.hear(7, from: 1, 2000)
        #expect(attempted(observer.send(.timerFired, 4999)) == [])
        #expect(attempted(observer.send(.timerFired, 5000)) == [ada])
    }

    @Test func `does not call an address that was not heard for a radio gap`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.generator = ConstantGenerator(value: 5000)
        observer.send(.radioGapChanged(.milliseconds(2000)), 0)
        observer.hear(7, from: 1, 0)
        observer.hear(7, from: 1, 1000)
        #expect(attempted(observer.send(.timerFired, 3000) + observer.send(.timerFired, 5000)) == [])
    }

    @Test func `calls the address that has been heard for the longest time`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.generator = ConstantGenerator(value: 5000)
        observer.hear(7, from: 9, 0)
        observer.hear(7, from: 3, 500)
        observer.hear(7, from: 3, 4000)
        observer.hear(7, from: 9, 4500)
        let expected = Attempt(.minor(BeaconMinor(7), from: address(9)), prediction(ada, epochZero))
        #expect(observer.send(.timerFired, 5000) == [.confirm(expected)])
    }

    @Test func `prefers a name to a tag, and a tag to a minor`() {
        let shown = values(ada, minor: 7)
        var observer = RadioObserver([shown])
        observer.generator = ConstantGenerator(value: 1000)
        observer.hear(7, from: 1, 0)
        observer.send(.nameAppeared(shown.name, observed: ObservedTime(at: reading(500))), 500)
        observer.hear(7, from: 1, 1499)
        #expect(
            observer.send(.timerFired, 1500) == [.confirm(Attempt(.name(shown.name), prediction(ada, epochZero)))])

        var other = RadioObserver([shown])
        other.generator = ConstantGenerator(value: 1000)
        other.hear(7, from: 1, 0)
        other.hear(7, from: 2, 500)
        other.send(.tagRead(shown.tag, address(2), observed: ObservedTime(at: reading(600))), 600)
        other.hear(7, from: 2, 1500)
        #expect(
            other.send(.timerFired, 2500)
                == [.confirm(Attempt(.tag(shown.tag, from: address(2)), prediction(ada, epochZero)))])
    }

    @Test func `tries an address only once in an epoch because of a minor, whichever contact it may be`() {
        var observer = RadioObserver([values(ada, minor: 7), values(bo, minor: 7)])
        let effects = observer.hearTwice(7, from: 1, 2000)
        #expect(attempted(effects) == [ada])
        for case .confirm(let attempt) in effects { observer.send(.attemptFailed(attempt, .silent), 3000) }
        #expect(attempted(observer.hear(7, from: 1, 4000) + observer.send(.timerFired, 10_000)) == [])
        // The tag, which was read meanwhile, identifies the contact.
        let tag = values(bo, minor: 7).tag
        let after = observer.send(.tagRead(tag, address(1), observed: ObservedTime(at: reading(10_100))), 10_100)
        #expect(attempted(after) == [bo])
    }

    @Test func `tries more likely and more important contacts first`() {
        var important = ContactOptions()
        important.importance = 3
        var frequent = ContactOptions()
        frequent.prior = 6000
        var observer = RadioObserver(
            [values(ada, minor: 1), values(bo, minor: 2), values(cy, minor: 3)],
            options: [bo: frequent, cy: important])
        observer.hearStrangers(600, 0)
        observer.generator = ConstantGenerator(value: 3000)
        for milliseconds in [0, 2000] {
            for number in 1...3 as ClosedRange<UInt64> { observer.hear(UInt16(number), from: number, milliseconds) }
        }
        var order: [ContactID] = []
        var effects = observer.send(.timerFired, 3000)
        for second in 4..<8 {
            order += attempted(effects)
            for case .confirm(let attempt) in effects {
                effects = observer.send(.attemptFailed(attempt, .silent), second * 1000)
            }
        }
        #expect(order == [cy, bo, ada])
    }

    @Test func `sightings that are reported together can make an address steady`() {
        var observer = RadioObserver([values(ada, minor: 7)])
        observer.hear(7, from: 1, 20_000, observed: 18_000)
        #expect(attempted(observer.hear(7, from: 1, 20_001, observed: 10_000)) == [ada])
    }
}

@Suite struct `Arrivals and departures` {
    @Test func `a contact arrives after its arrival timer and leaves after its own departure timer`() {
        var options = ContactOptions()
        options.arriveAfter = .milliseconds(20_000)
        options.departAfter = .milliseconds(60_000)
        var observer = RadioObserver([values(ada, minor: 7), values(bo, minor: 8)], options: [ada: options])
        #expect(observer.send(.confirmed(bo, .first, .responder), 0).last == .arrived(bo))
        #expect(changes(observer.send(.confirmed(ada, .first, .responder), 0)).count == 1)
        #expect(!observer.send(.timerFired, 19_999).contains(.arrived(ada)))
        #expect(observer.send(.timerFired, 20_000) == [.arrived(ada)])
        observer.send(.sessionEnded(ada, .first), 30_000)
        observer.send(.sessionEnded(bo, .first), 30_000)
        #expect(!observer.send(.timerFired, 89_999).contains(.left(ada)))
        #expect(observer.send(.timerFired, 90_000).last == .left(ada))
        #expect(!observer.send(.timerFired, 149_999).contains(.left(bo)))
        #expect(observer.send(.timerFired, 150_000).last == .left(bo))
    }

    @Test func `a contact that is gone before its arrival timer neither arrives nor leaves`() {
        var options = ContactOptions()
        options.arriveAfter = .milliseconds(3_600_000)
        var observer = RadioObserver([values(ada, minor: 7)], options: [ada: options])
        var effects = observer.send(.confirmed(ada, .first, .responder), 0)
        effects += observer.send(.sessionEnded(ada, .first), 1000)
        for second in 2..<200 { effects += observer.send(.timerFired, second * 1000) }
        #expect(observer.engine.state(of: ada) == .gone)
        #expect(!effects.contains(.arrived(ada)) && !effects.contains(.left(ada)))
    }

    @Test func `clamps options to their ranges`() {
        let options = ContactOptions(prior: 0, importance: 1000, departAfter: .milliseconds(1))
        #expect(options.prior == 1 && options.importance == 100)
        var observer = RadioObserver([values(ada, minor: 7)], options: [ada: options])
        // A radio that is never silent for long must not make anyone leave sooner.
        observer.send(.radioGapChanged(.seconds(1)), 0)
        observer.send(.confirmed(ada, .first, .responder), 0)
        observer.send(.sessionEnded(ada, .first), 0)
        #expect(!observer.send(.timerFired, 29_999).contains(.left(ada)))
        #expect(observer.send(.timerFired, 30_000).contains(.left(ada)))
    }
}

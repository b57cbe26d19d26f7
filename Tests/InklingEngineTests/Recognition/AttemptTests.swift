import InklingEngine
import InklingKeys
import InklingTesting
import Testing

@Suite struct `Attempts and their budgets` {
    /// The contacts of the `confirm` effects.
    private let crowd = (1...40).map { person(ContactID(rawValue: $0)) }

    /// Covers INK-RCG-040.
    @Test func `an attempt waits for a random delay of up to one second`() {
        var observer = Observer([person(ada)])
        observer.generator = ConstantGenerator(value: 1000)
        expectEqual(attempted(observer.see(name(of: ada, epochZero), 0)), [])
        expectEqual(attempted(observer.send(.timerFired, 999)), [])
        expectEqual(attempted(observer.send(.timerFired, 1000)), [ada])
    }

    /// Covers INK-RCG-044.
    @Test func `a name that vanishes during the delay is not tried`() {
        var observer = Observer([person(ada)])
        observer.generator = .largest
        observer.see(name(of: ada, epochZero), 0)
        observer.send(.nameVanished(name(of: ada, epochZero)), 500)
        expectEqual(attempted(observer.send(.timerFired, 1000)), [])
    }

    /// Covers INK-RCG-044.
    @Test func `a contact that has a session is not tried`() {
        var observer = Observer([person(ada)])
        observer.send(.confirmed(ada, .first, .responder), 0)
        expectEqual(attempted(observer.see(name(of: ada, epochZero), 1000)), [])
        expectEqual(attempted(observer.send(.sessionEnded(ada, .first), 2000)), [ada])
    }

    /// Covers INK-HSK-013, INK-RCG-041.
    @Test(arguments: [AttemptFailure.silent, .refused, .stranger])
    func `a contact is tried once in an epoch and again in the next`(why: AttemptFailure) {
        var observer = Observer([person(ada, devices: [0, 1])])
        expectEqual(attempted(observer.see(name(of: ada, epochZero), 0)), [ada])
        expectEqual(attempted(observer.send(.attemptFailed(attempt(ada, epochZero), why), 5000)), [])
        expectEqual(observer.engine.lastFailure(of: ada), why)
        expectEqual(attempted(observer.see(name(of: ada, epochZero, device: 1), 6000)), [])
        expectEqual(attempted(observer.send(.nameVanished(name(of: ada, epochZero)), 7000)), [])
        expectEqual(attempted(observer.see(name(of: ada, epochZero), 8000)), [])
        expectEqual(attempted(observer.see(name(of: ada, epoch(1)), 800_000)), [ada])
    }

    /// Covers INK-HSK-013, INK-RCG-073, INK-RCG-074, INK-RCG-077.
    @Test(arguments: [AttemptFailure.unreachable, .reset])
    func `an attempt whose link failed is repeated three times, twice in a minute`(why: AttemptFailure) {
        var observer = Observer([person(ada)])
        let attempt = attempt(ada, epochZero)
        expectEqual(attempted(observer.see(name(of: ada, epochZero), 0)), [ada])
        expectEqual(attempted(observer.send(.attemptFailed(attempt, why), 1000)), [])
        expectEqual(attempted(observer.send(.timerFired, 2333)), [])
        expectEqual(attempted(observer.send(.timerFired, 2334)), [ada])
        expectEqual(attempted(observer.send(.attemptFailed(attempt, why), 3000)), [])
        expectEqual(attempted(observer.send(.timerFired, 7000)), [ada])
        expectEqual(attempted(observer.send(.attemptFailed(attempt, why), 8000)), [])
        expectEqual(attempted(observer.send(.timerFired, 20_000)), [])
        expectEqual(attempted(observer.send(.timerFired, 62_334)), [ada])
        expectEqual(observer.engine.attempts(of: ada, over: .network), 4)
        observer.send(.attemptFailed(attempt, why), 63_000)
        expectEqual(attempted(observer.send(.timerFired, 700_000)), [])
    }

    @Test func `a clock at the end of its range ends repeats and does not trap`() {
        var observer = Observer([person(ada, devices: [0, 1])])
        expectEqual(attempted(observer.see(name(of: ada, epochZero), 0)), [ada])
        observer.see(name(of: ada, epochZero, device: 1), 500)
        expectEqual(attempted(observer.send(.attemptFailed(attempt(ada, epochZero), .reset), 1000)), [])
        let late = ClockReading(tick: Tick(milliseconds: 60_000), unixMilliseconds: .max)
        let effects = observer.engine.handle(
            .nameVanished(name(of: ada, epochZero)), at: late, using: &observer.generator)
        expectEqual(attempted(effects), [])
    }

    /// Covers INK-RCG-079.
    @Test func `after eight names that did not confirm only a recent contact is called, until the next epoch`() {
        var observer = Observer(crowd)
        let known = ContactID(rawValue: 40)
        observer.send(.confirmed(known, .first, .responder), 0)
        observer.send(.sessionEnded(known, .first), 0)
        for number in 1...8 as ClosedRange<UInt32> {
            let contact = ContactID(rawValue: number)
            let moment = Int(number) * 13_000
            expectEqual(attempted(observer.see(name(of: contact, epochZero), moment)), [contact])
            let effects = observer.send(.attemptFailed(attempt(contact, epochZero), .silent), moment + 100)
            expectEqual(effects.contains(.replayed), (number == 8))
        }
        expectEqual(attempted(observer.see(name(of: ContactID(rawValue: 9), epochZero), 170_000)), [])
        expectEqual(attempted(observer.see(name(of: known, epochZero), 171_000)), [known])
        observer.send(.attemptFailed(attempt(known, epochZero), .silent), 172_000)
        expectEqual(attempted(observer.send(.timerFired, 899_999)), [])
        expectEqual(attempted(observer.send(.timerFired, 900_000)), [ContactID(rawValue: 9)])
    }

    /// Covers INK-HSK-014, INK-RCG-042, INK-RCG-043.
    @Test func `at most two attempts run at once, and one of them only for a recently confirmed contact`() {
        var observer = Observer(crowd)
        observer.send(.confirmed(cy, .first, .responder), 0)
        observer.send(.sessionEnded(cy, .first), 0)
        expectEqual(attempted(observer.see(name(of: ada, epochZero), 1000)), [ada])
        expectEqual(attempted(observer.see(name(of: bo, epochZero), 1000)), [])
        expectEqual(attempted(observer.see(name(of: cy, epochZero), 1000)), [cy])
        expectEqual(attempted(observer.send(.attemptFailed(attempt(cy, epochZero), .silent), 2000)), [])
        expectEqual(attempted(observer.send(.attemptFailed(attempt(ada, epochZero), .silent), 3000)), [bo])
    }

    /// Covers INK-RCG-045.
    @Test func `an attempt without a report frees its place in the budget after a timeout`() {
        var observer = Observer(crowd)
        expectEqual(attempted(observer.see(name(of: ada, epochZero), 0)), [ada])
        expectEqual(attempted(observer.see(name(of: bo, epochZero), 0)), [])
        expectEqual(attempted(observer.send(.timerFired, 14_999)), [])
        expectEqual(attempted(observer.send(.timerFired, 15_000)), [bo])
    }

    /// Covers INK-HSK-014, INK-RCG-042, INK-RCG-043.
    @Test func `at most six attempts start in a minute, the sixth only for a recently confirmed contact`() {
        var observer = Observer(crowd)
        let known = ContactID(rawValue: 40)
        observer.send(.confirmed(known, .first, .responder), 0)
        observer.send(.sessionEnded(known, .first), 0)
        var started: [ContactID] = []
        for number in 1...20 as ClosedRange<UInt32> {
            started += attempted(observer.see(name(of: ContactID(rawValue: number), epochZero), 1000))
            for contact in started {
                started += attempted(observer.send(.attemptFailed(attempt(contact, epochZero), .silent), 1000))
            }
        }
        expectEqual(started.map(\.rawValue), [1, 2, 3, 4, 5])
        expectEqual(attempted(observer.see(name(of: known, epochZero), 2000)), [known])
        expectEqual(attempted(observer.send(.attemptFailed(attempt(known, epochZero), .silent), 3000)), [])
        expectEqual(attempted(observer.send(.timerFired, 60_999)), [])
        expectEqual(attempted(observer.send(.timerFired, 61_000)), [ContactID(rawValue: 6)])
    }

    /// Covers INK-RCG-050.
    @Test func `a flood of strangers' names is limited and hides no contact`() {
        var observer = Observer([person(ada), person(bo)])
        observer.see(name(of: ada, epochZero), 0)
        for number in 0..<2000 { expectEqual(observer.see(stranger(number), 1000 + number), []) }
        expectEqual(observer.engine.footprint.names, 256)
        observer.send(.attemptFailed(attempt(ada, epochZero), .silent), 4000)
        expectEqual(attempted(observer.see(name(of: bo, epochZero), 5000)), [bo])
        expectEqual(observer.engine.state(of: ada), .probable)
    }

    @Test func `ignores contacts beyond the limit`() {
        var policy = RecognitionPolicy()
        policy.contactLimit = 3
        let observer = Observer(Array(crowd.prefix(4)), policy: policy)
        expectEqual(observer.engine.footprint.contacts, 3)
        expectEqual(observer.engine.state(of: ContactID(rawValue: 4)), nil)
    }
}

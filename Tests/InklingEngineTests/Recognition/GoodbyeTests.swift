import InklingEngine
import InklingKeys
import Testing

private let second = 1000

@Suite struct `Goodbyes and changed delays` {
    /// Covers INK-RCG-082, INK-RCG-083.
    @Test func `a contact that says that it leaves is gone after half a minute, although its name stays`() throws {
        var observer = Observer([person(ada)])
        observer.see(name(of: ada, epochZero), 0)
        observer.send(.confirmed(ada, .first, .initiator), 1 * second)
        observer.send(.deviceLeft(ada, .first), 2 * second)
        let explanation = try #require(observer.engine.explanation(of: ada, at: reading(10 * second)))
        #expect(explanation.goodbye == tick(2 * second))
        #expect(explanation.leaves == tick(32 * second))
        #expect(!explanation.hasSession)
        #expect(explanation.sights.map(\.isCounting) == [false], "the name of a device that has left")
        observer.send(.timerFired, 32 * second - 1)
        #expect(observer.engine.state(of: ada)?.isPresent == true)
        observer.send(.timerFired, 32 * second)
        #expect(observer.engine.state(of: ada) == .gone)
    }

    /// Covers INK-RCG-082.
    @Test func `a goodbye means nothing without a session with the device`() throws {
        var observer = Observer([person(ada)])
        observer.send(.confirmed(ada, .first, .responder), 1 * second)
        observer.send(.sessionEnded(ada, .first), 2 * second)
        observer.send(.deviceLeft(ada, .first), 3 * second)
        observer.send(.deviceLeft(bo, .first), 3 * second)
        let explanation = try #require(observer.engine.explanation(of: ada, at: reading(4 * second)))
        #expect(explanation.goodbye == nil)
        observer.send(.timerFired, 100 * second)
        #expect(observer.engine.state(of: ada)?.isPresent == true)
    }

    /// Covers INK-RCG-083.
    @Test func `a handshake takes a goodbye back`() throws {
        var observer = Observer([person(ada)])
        observer.send(.confirmed(ada, .first, .responder), 1 * second)
        observer.send(.deviceLeft(ada, .first), 2 * second)
        observer.send(.confirmed(ada, .first, .responder), 30 * second)
        observer.send(.sessionEnded(ada, .first), 31 * second)
        observer.send(.timerFired, 150 * second)
        #expect(observer.engine.state(of: ada)?.isPresent == true)
        let explanation = try #require(observer.engine.explanation(of: ada, at: reading(150 * second)))
        #expect(explanation.goodbye == nil)
        #expect(explanation.leaves == tick(151 * second))
    }

    /// Covers INK-RCG-072, INK-RCG-084.
    @Test func `new delays are used at once, and what is known of the contact stays`() throws {
        var observer = Observer([person(ada)])
        observer.send(.confirmed(ada, .first, .responder), 1 * second)
        observer.send(.sessionEnded(ada, .first), 2 * second)
        observer.send(.optionsChanged(ada, ContactOptions(departAfter: .seconds(600))), 100 * second)
        observer.send(.timerFired, 200 * second)
        #expect(observer.engine.state(of: ada) == .stale(confirmedAt: tick(1 * second)))
        observer.send(.optionsChanged(ada, ContactOptions(departAfter: .seconds(100))), 201 * second)
        #expect(observer.engine.state(of: ada) == .gone)
        // Evidence that had run out no longer counts, however long the new delay is.
        observer.send(.optionsChanged(ada, ContactOptions(departAfter: .seconds(86_400))), 202 * second)
        #expect(observer.engine.state(of: ada) == .gone)
        observer.send(.optionsChanged(bo, ContactOptions()), 203 * second)
        #expect(observer.engine.state(of: bo) == nil)
    }

    @Test func `a contact that is added again keeps its options, since only a change replaces them`() throws {
        var observer = Observer([person(ada)])
        observer.send(.contactAdded(ada, ContactOptions(departAfter: .seconds(600))), 0)
        observer.send(.confirmed(ada, .first, .responder), 1 * second)
        observer.send(.sessionEnded(ada, .first), 1 * second)
        observer.send(.timerFired, 121 * second)
        #expect(observer.engine.state(of: ada) == .gone)
    }

    @Test func `the policy's leave timer is never shorter than half a minute`() {
        var policy = RecognitionPolicy()
        policy.leaveAfter = .seconds(1)
        #expect(policy.leaveAfter == RecognitionPolicy.minimumDeparture)
        policy.leaveAfter = .seconds(60)
        var observer = Observer([person(ada)], policy: policy)
        observer.send(.confirmed(ada, .first, .responder), 0)
        observer.send(.deviceLeft(ada, .first), 0)
        observer.send(.timerFired, 60 * second - 1)
        #expect(observer.engine.state(of: ada)?.isPresent == true)
        observer.send(.timerFired, 60 * second)
        #expect(observer.engine.state(of: ada) == .gone)
    }
}

import InklingEngine
import InklingKeys
import InklingPlatforms
import Testing

typealias Pipeline = Reconnection<Int, String>

private let policy = ReconnectionPolicy(
    services: [["data"], ["pairing"]], steps: [.services, .subscription, .status, .resumption])

/// A machine. Times are milliseconds after its start.
private struct Phone {
    var machine = Pipeline(policy: policy)

    @discardableResult
    mutating func send(_ event: Pipeline.Event, _ milliseconds: UInt64 = 0) -> [Pipeline.Effect] {
        machine.handle(event, at: Tick(milliseconds: milliseconds))
    }

    /// Sends events at one moment and returns their effects without `wake`.
    mutating func acts(_ events: Pipeline.Event..., at milliseconds: UInt64 = 0) -> [Pipeline.Effect] {
        events.flatMap { send($0, milliseconds) }.filter { if case .wake = $0 { false } else { true } }
    }

    static func connected(isStable: Bool = true) -> Phone {
        var phone = Phone()
        phone.send(.wanted(1, known: "a", isStable: isStable, lastReceived: 40))
        phone.send(.ready)
        phone.send(.lookedUp(1, "a"))
        phone.send(.linked(1, "a"))
        for step in [ReconnectionStep.services, .subscription, .status, .resumption] { phone.send(.stepDone(1, step)) }
        return phone
    }
}

@Suite struct `Reconnection of lost peers` {
    @Test func `looks up, adopts and calls a known route without a search`() {
        var phone = Phone()
        #expect(phone.acts(.wanted(1, known: "a", isStable: true, lastReceived: nil)) == [])
        #expect(phone.machine.count == 1)
        #expect(phone.acts(.ready) == [.lookUp(1, "a")])
        #expect(phone.acts(.lookedUp(1, "a")) == [.adopt(1, "a"), .call(1, "a")])
    }

    @Test func `without a route it looks for an existing link, and then searches for all services together`() {
        var phone = Phone()
        phone.send(.ready)
        #expect(phone.acts(.wanted(1, known: nil, isStable: true, lastReceived: nil)) == [.lookUpAttached(1)])
        #expect(phone.acts(.lookedUpAttached(1, nil)) == [.beginSearch(["data", "pairing"])])
        #expect(phone.acts(.found(1, "b")) == [.adopt(1, "b"), .call(1, "b"), .endSearch])
    }

    /// Covers INK-LIF-040.
    @Test func `skips the lookups for a restored peer, and calls it if it is not linked`() {
        var phone = Phone()
        phone.send(.wanted(1, known: "a", isStable: true, lastReceived: 7))
        #expect(phone.acts(.restored(1, "a", isLinked: false)) == [.adopt(1, "a")])
        #expect(phone.acts(.ready) == [.call(1, "a")])
        #expect(phone.acts(.linked(1, "a")) == [.perform(1, "a", .services, lastReceived: nil)])
    }

    @Test func `a restored link goes through all steps, including subscription and status`() {
        var phone = Phone()
        phone.send(.wanted(1, known: "a", isStable: true, lastReceived: 7))
        phone.send(.restored(1, "a", isLinked: true))
        #expect(phone.acts(.ready) == [.perform(1, "a", .services, lastReceived: nil)])
        #expect(phone.acts(.stepDone(1, .services)) == [.perform(1, "a", .subscription, lastReceived: nil)])
        #expect(phone.acts(.stepDone(1, .subscription)) == [.perform(1, "a", .status, lastReceived: nil)])
        #expect(
            phone.acts(.statusKnown(1, needsInitialisation: true))
                == [.perform(1, "a", .initialisation, lastReceived: nil)])
        #expect(phone.acts(.stepDone(1, .initialisation)) == [.perform(1, "a", .resumption, lastReceived: 7)])
        #expect(
            phone.acts(.stepDone(1, .resumption), at: 90) == [
                .reconnected(1, "a", waited: .zero, took: .milliseconds(90))
            ])
    }

    /// Covers INK-LIF-010.
    @Test func `connects again without restoration`() {
        var phone = Phone.connected()
        // After a force-quit, a reset of Bluetooth or some hours there is a new process, and the system restores
        // nothing.
        phone.machine = Pipeline(policy: policy)
        phone.send(.wanted(1, known: "a", isStable: true, lastReceived: 40))
        #expect(phone.acts(.ready, .lookedUp(1, "a")) == [.lookUp(1, "a"), .adopt(1, "a"), .call(1, "a")])
        #expect(phone.acts(.linked(1, "a")) == [.perform(1, "a", .services, lastReceived: nil)])
    }

    @Test func `calls again at once each time a link is lost, without a search`() {
        var phone = Phone.connected()
        #expect(phone.acts(.unlinked(1, "a"), at: 100) == [.call(1, "a")])
        #expect(phone.acts(.timerFired, at: 1_000_000_000) == [])
        #expect(phone.machine.connected == [])
    }

    @Test func `searches for a peer while calling it, and remembers its new route`() {
        var phone = Phone()
        phone.send(.wanted(1, known: "a", isStable: false, lastReceived: nil))
        phone.send(.ready)
        #expect(
            phone.acts(.lookedUp(1, "a")) == [.adopt(1, "a"), .call(1, "a"), .beginSearch(["data", "pairing"])])
        #expect(phone.acts(.found(1, "b")) == [.adopt(1, "b"), .call(1, "b")])
        #expect(
            phone.acts(.linked(1, "b"))
                == [
                    .cancel(1, "a"), .remember(1, "b"), .perform(1, "b", .services, lastReceived: nil), .endSearch,
                ])
    }

    /// Covers INK-LIF-056.
    @Test func `gives up a step after ten seconds, calls the peer once more, and then searches for it`() {
        var phone = Phone.connected()
        phone.send(.unlinked(1, "a"), 1000)
        #expect(
            phone.send(.linked(1, "a"), 2000)
                == [.perform(1, "a", .services, lastReceived: nil), .wake(at: Tick(milliseconds: 12_000))])
        #expect(phone.acts(.timerFired, at: 11_999) == [])
        #expect(
            phone.acts(.timerFired, at: 12_000) == [.overdue(1, .services), .cancel(1, "a"), .call(1, "a")])
        phone.send(.linked(1, "a"), 13_000)
        #expect(
            phone.acts(.timerFired, at: 23_000)
                == [.overdue(1, .services), .cancel(1, "a"), .beginSearch(["data", "pairing"])])
    }

    @Test func `a peer that hangs does not delay another`() {
        var phone = Phone.connected()
        phone.send(.wanted(2, known: "b", isStable: true, lastReceived: nil), 10)
        phone.send(.lookedUp(2, "b"), 10)
        phone.send(.unlinked(1, "a"), 20)
        phone.send(.linked(1, "a"), 30)
        #expect(phone.acts(.linked(2, "b"), at: 40) == [.perform(2, "b", .services, lastReceived: nil)])
        phone.send(.stepDone(2, .services), 50)
        phone.send(.stepDone(2, .subscription), 60)
        phone.send(.stepDone(2, .status), 70)
        #expect(
            phone.acts(.stepDone(2, .resumption), at: 80) == [
                .reconnected(2, "b", waited: .milliseconds(30), took: .milliseconds(40))
            ])
    }

    @Test func `makes no requests while the radio is off`() {
        var phone = Phone.connected()
        #expect(phone.acts(.unready, .found(1, "b"), .linked(1, "b"), .unwanted(1)) == [])
        #expect(phone.machine.count == 0)
    }

    @Test func `an endpoint of a Linux node can be a route`() {
        struct Endpoint: Hashable { let host: String, port: UInt16 }
        var machine = Reconnection<ContactID, Endpoint>(
            policy: ReconnectionPolicy(services: [["_inkling._tcp"]], steps: [.authentication, .resumption]))
        let ada = ContactID(rawValue: 1), old = Endpoint(host: "10.0.0.2", port: 1),
            new = Endpoint(host: "10.0.0.2", port: 2)
        let start = Tick(milliseconds: 0)
        _ = machine.handle(.ready, at: start)
        // The endpoint changes with each rotation, so that the old one is called and a search runs at the same time.
        _ = machine.handle(.wanted(ada, known: old, isStable: false, lastReceived: 3), at: start)
        _ = machine.handle(.lookedUp(ada, old), at: start)
        #expect(machine.handle(.callFailed(ada, old), at: start) == [])
        #expect(machine.handle(.found(ada, new), at: start) == [.adopt(ada, new), .call(ada, new)])
        #expect(machine.handle(.linked(ada, new), at: start).first == .remember(ada, new))
    }
}

import InklingFleet
import InklingKeys
import InklingTesting
import Testing

private let start = Tick(milliseconds: 1_000_000)

private func later(_ milliseconds: UInt64) -> Tick { Tick(milliseconds: start.milliseconds + milliseconds) }

/// A machine with its generator, in a test of a few steps.
private struct Process {
    var lease: LeaseMachine
    var generator = SeededGenerator(seed: 1)

    init(_ name: String) { lease = LeaseMachine(own: name, seconds: 6) }

    mutating func handle(_ event: LeaseMachine.Event, at now: Tick) -> [LeaseMachine.Effect] {
        lease.handle(event, at: now, using: &generator)
    }

    /// Claims the lease, and returns the claim.
    mutating func claim(at now: Tick) throws -> LeaseMessage {
        let effects = handle(.timerFired, at: now)
        guard case .publish(let claim) = try #require(effects.first) else { throw FleetMessageError.badFence }
        return claim
    }
}

@Suite struct LeaseMachineTests {
    /// Covers INK-FLT-021, INK-FLT-022.
    @Test func `a claim is made after the life of a lease, and holds when it has come back`() throws {
        var one = Process("one")
        _ = one.handle(.connected, at: start)
        let wake = try #require(one.lease.wake)
        #expect(wake >= later(6_000) && wake <= later(7_500))
        let early = one.handle(.timerFired, at: later(5_999))
        #expect(early.isEmpty)
        let claim = try one.claim(at: wake)
        #expect(claim == LeaseMessage(fence: Fence(1, holder: "one"), beat: 1, seconds: 6))
        #expect(!one.lease.mayWrite(at: wake))
        let taken = one.handle(.heard(claim), at: wake)
        #expect(taken == [.took(Fence(1, holder: "one"))])
        #expect(one.lease.mayWrite(at: wake))
    }

    /// Covers INK-FLT-022.
    @Test func `of two claims at once the greater one holds, whichever comes first`() throws {
        for order in [[0, 1], [1, 0]] {
            var processes = [Process("one"), Process("two")]
            var claims: [LeaseMessage] = []
            for index in 0...1 {
                _ = processes[index].handle(.connected, at: start)
                claims.append(try processes[index].claim(at: later(8_000)))
            }
            for index in 0...1 {
                for number in order { _ = processes[index].handle(.heard(claims[number]), at: later(8_010)) }
            }
            #expect(!processes[0].lease.mayWrite(at: later(8_020)))
            #expect(processes[1].lease.mayWrite(at: later(8_020)))
        }
    }

    /// Covers INK-FLT-023.
    @Test func `a holder whose renewals do not come back stops before another may claim`() throws {
        var (one, two) = (Process("one"), Process("two"))
        _ = one.handle(.connected, at: start)
        _ = two.handle(.connected, at: start)
        let claim = try one.claim(at: later(7_500))
        _ = one.handle(.heard(claim), at: later(7_600))
        _ = two.handle(.heard(claim), at: later(7_600))
        let renewals = one.handle(.timerFired, at: later(8_500))
        #expect(renewals == [.publish(LeaseMessage(fence: claim.fence, beat: 2, seconds: 6))])
        #expect(one.lease.mayWrite(at: later(11_499)))
        #expect(!one.lease.mayWrite(at: later(11_500)))
        let lost = one.handle(.timerFired, at: later(11_500))
        #expect(lost == [.lost])
        let wake = try #require(two.lease.wake)
        #expect(wake >= later(13_600))
    }

    /// Covers INK-FLT-024, INK-FLT-025.
    @Test func `a greater fence ends a holder, and what is kept of a smaller one is forgotten`() throws {
        var one = Process("one")
        _ = one.handle(.connected, at: start)
        let claim = try one.claim(at: later(8_000))
        _ = one.handle(.heard(claim), at: later(8_000))
        let old = LeaseMessage(fence: Fence(0, holder: "old"), beat: 9, seconds: 6)
        let answer = one.handle(.heard(old), at: later(8_001))
        #expect(answer == [.forget(old.fence)])
        let greater = LeaseMessage(fence: Fence(2, holder: "two"), beat: 1, seconds: 6)
        let end = one.handle(.heard(greater), at: later(8_002))
        #expect(end == [.lost])
        #expect(!one.lease.mayWrite(at: later(8_002)))
        let next = try one.claim(at: later(20_000))
        #expect(next.fence == Fence(3, holder: "one"))
    }

    /// Covers INK-FLT-021.
    @Test func `a lease that is given up is claimed at once`() throws {
        var (one, two) = (Process("one"), Process("two"))
        _ = one.handle(.connected, at: start)
        _ = two.handle(.connected, at: start)
        let claim = try one.claim(at: later(8_000))
        _ = one.handle(.heard(claim), at: later(8_000))
        _ = two.handle(.heard(claim), at: later(8_000))
        let end = one.handle(.stopping, at: later(9_000))
        let released = LeaseMessage(fence: claim.fence, beat: 2, seconds: 0)
        #expect(end == [.publish(released), .lost])
        _ = two.handle(.heard(released), at: later(9_000))
        let wake = try #require(two.lease.wake)
        #expect(wake <= later(10_500))
    }

    /// Covers INK-FLT-021.
    @Test func `a claim is greater than the fence of every record`() throws {
        var one = Process("one")
        _ = one.handle(.connected, at: start)
        one.lease.note(Fence(7, holder: "two"))
        let claim = try one.claim(at: later(8_000))
        #expect(claim.fence == Fence(8, holder: "one"))
    }

    /// Covers INK-FLT-024.
    @Test func `without a connection nobody holds the lease`() throws {
        var one = Process("one")
        _ = one.handle(.connected, at: start)
        let claim = try one.claim(at: later(8_000))
        _ = one.handle(.heard(claim), at: later(8_000))
        let end = one.handle(.disconnected, at: later(8_100))
        #expect(end == [.lost])
        #expect(one.lease.wake == nil)
        #expect(!one.lease.mayWrite(at: later(8_100)))
    }
}

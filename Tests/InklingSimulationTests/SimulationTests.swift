import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import Synchronization
import Testing

@Suite struct `A simulation` {
    @Test func `moves time only as far as it is told`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let clock = simulation.addHost().clock
            let before = clock.read()
            await simulation.settle()
            #expect(clock.read() == before)
            await simulation.advance(bySeconds: 90)
            #expect(clock.read().tick.milliseconds(since: before.tick) == 90_000)
            #expect(clock.read().unixMilliseconds == before.unixMilliseconds + 90_000)
        }
    }

    @Test func `wakes sleepers at their times and in their order`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let clock = simulation.addHost().clock
            let start = clock.read().tick
            let woken = Mutex<[UInt64]>([])
            for delay: UInt64 in [300, 100, 200] {
                simulation.start {
                    try? await clock.sleep(until: start.advanced(byMilliseconds: delay))
                    let now = clock.read().tick.milliseconds(since: start)
                    woken.withLock { $0.append(now) }
                }
            }
            await simulation.advance(byMilliseconds: 250)
            #expect(woken.withLock { $0 } == [100, 200])
        }
    }

    @Test func `a cancelled sleeper wakes at once and throws`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let clock = simulation.addHost().clock
            let outcome = Outcome()
            let end = clock.read().tick.advanced(byMilliseconds: 1_000_000)
            simulation.start {
                await withTaskGroup { group in
                    group.addTask {
                        let cancelled = await isCancelled(sleepUntil: end, on: clock)
                        outcome.cancelled.withLock { $0 = cancelled }
                    }
                    group.cancelAll()
                }
            }
            await simulation.settle()
            #expect(outcome.cancelled.withLock { $0 } == true)
            #expect(simulation.elapsed == 0)
        }
    }

    @Test func `reports a condition that is not true at its deadline`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            await #expect(throws: Simulation.Failure.timedOut(after: .seconds(5))) {
                try await simulation.wait(forSeconds: 5) { false }
            }
            #expect(simulation.elapsed == 5000)
        }
    }

    @Test func `stops a body that waits for an event that cannot come`() async throws {
        await #expect(throws: Simulation.Failure.stalled) {
            try await Simulation.run(seed: 1) { _ in
                await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in Parked.park(waiter) }
            }
        }
    }

    @Test func `a host that sleeps fires its timers when it wakes`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let clock = simulation.addHost().clock
            let start = clock.read().tick
            let woken = Mutex<UInt64?>(nil)
            simulation.start {
                try? await clock.sleep(until: start.advanced(byMilliseconds: 1000))
                woken.withLock { $0 = clock.read().tick.milliseconds(since: start) }
            }
            clock.suspend()
            await simulation.advance(bySeconds: 60)
            #expect(woken.withLock { $0 } == nil)
            clock.resume()
            await simulation.settle()
            #expect(woken.withLock { $0 } == 60_000)
            #expect(clock.suspendedMilliseconds() == 60_000)
        }
    }

    @Test func `setting a clock or its rate changes protocol time alone`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let clock = simulation.addHost(clockError: -500).clock
            let start = clock.read()
            clock.step(byMilliseconds: -7000)
            #expect(clock.read().step(since: start) == -7000)
            clock.run(rate: 60)
            await simulation.advance(bySeconds: 1)
            #expect(clock.read().unixMilliseconds == start.unixMilliseconds - 7000 + 60_000)
            #expect(clock.read().tick.milliseconds(since: start.tick) == 1000)
        }
    }

    @Test func `a partition stops links, and healing restores them`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (one, other) = (simulation.addHost(), simulation.addHost())
            let listener = try await other.links.listen()
            let endpoint = Endpoint(address: other.address, port: listener.port)
            simulation.network.partition([[one], [other]])
            await #expect(throws: LinkError.timedOut) { try await one.links.connect(to: endpoint, within: .seconds(3)) }
            simulation.network.heal()
            let link = try await one.links.connect(to: endpoint, within: .seconds(3))
            try await link.send([1, 2, 3])
            var links = listener.links.makeAsyncIterator()
            let accepted = try #require(await links.next())
            #expect(try await accepted.receive(upTo: 10, within: .seconds(1)) == [1, 2, 3])
        }
    }

    @Test func `a muted link is discarded and reset five seconds after it was accepted`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (one, other) = (simulation.addHost(), simulation.addHost())
            let listener = try await other.links.listen()
            let link = try await one.links.connect(
                to: Endpoint(address: other.address, port: listener.port), within: .seconds(3))
            var links = listener.links.makeAsyncIterator()
            let accepted = try #require(await links.next())
            await accepted.mute()
            await simulation.advance(bySeconds: 4)
            try await link.send([1])
            await #expect(throws: LinkError.closed) { try await link.receive(upTo: 10, within: .seconds(60)) }
            #expect((5000...5020).contains(simulation.elapsed))
            await #expect(throws: LinkError.closed) { try await link.send([1]) }
            #expect(simulation.network.linkCount == 0)
        }
    }

    @Test func `the ninth stranger from one address displaces the first`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (one, other) = (simulation.addHost(), simulation.addHost())
            let listener = try await other.links.listen()
            let endpoint = Endpoint(address: other.address, port: listener.port)
            var links: [any Link] = []
            for _ in 0..<9 { links.append(try await one.links.connect(to: endpoint, within: .seconds(3))) }
            await simulation.advance(byMilliseconds: 100)
            await #expect(throws: LinkError.closed) { try await links[0].receive(upTo: 1, within: .seconds(1)) }
            await #expect(throws: LinkError.timedOut) { try await links[1].receive(upTo: 1, within: .seconds(1)) }
        }
    }
}

/// The outcome of a sleep that another task waits for.
private final class Outcome: Sendable {
    let cancelled = Mutex<Bool?>(nil)
}

private func isCancelled(sleepUntil end: Tick, on clock: SimulatedClock) async -> Bool {
    do {
        try await clock.sleep(until: end)
        return false
    } catch {
        return error is CancellationError
    }
}

/// Keeps a continuation alive that is never resumed, so that only the simulation can notice.
private enum Parked {
    private static let waiters = Mutex<[CheckedContinuation<Void, Never>]>([])
    static func park(_ waiter: CheckedContinuation<Void, Never>) { waiters.withLock { $0.append(waiter) } }
}

import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingWire
import Synchronization
import Testing

@Suite struct `A simulation` {
    @Test func `advances time exactly as far as requested`() async throws {
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

    @Test func `resumes sleeping tasks at their times, in order`() async throws {
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

    @Test func `a cancelled sleep throws at once`() async throws {
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

    @Test func `waiting throws when the condition is not true at the deadline`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            await #expect(throws: Simulation.Failure.timedOut(after: .seconds(5))) {
                try await simulation.wait(forSeconds: 5) { false }
            }
            #expect(simulation.elapsed == 5000)
        }
    }

    @Test func `throws when the body waits and no event is planned`() async throws {
        await #expect(throws: Simulation.Failure.stalled) {
            try await Simulation.run(seed: 1) { _ in
                await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in Parked.park(waiter) }
            }
        }
    }

    @Test func `timers of a suspended host fire when it wakes up`() async throws {
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

    @Test func `setting a clock or its rate changes only protocol time`() async throws {
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

    @Test func `hosts cannot connect across a partition, and can after it is healed`() async throws {
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

    @Test func `a muted link is reset five seconds after it was accepted`() async throws {
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

    @Test func `a ninth unauthenticated link from one address replaces the first`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (one, other) = (simulation.addHost(), simulation.addHost())
            let listener = try await other.links.listen()
            let endpoint = Endpoint(address: other.address, port: listener.port)
            var links: [any Link] = []
            for number in 0..<9 {
                if number == 8 { await simulation.advance(byMilliseconds: 300) }
                links.append(try await one.links.connect(to: endpoint, within: .seconds(3)))
            }
            await simulation.advance(byMilliseconds: 100)
            await #expect(throws: LinkError.closed) { try await links[0].receive(upTo: 1, within: .seconds(1)) }
            await #expect(throws: LinkError.timedOut) { try await links[1].receive(upTo: 1, within: .seconds(1)) }
        }
    }
}

/// Whether the sleep in another task was cancelled.
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

/// Keeps continuations that are never resumed, so that the runtime does not report them as leaked.
private enum Parked {
    private static let waiters = Mutex<[CheckedContinuation<Void, Never>]>([])
    static func park(_ waiter: CheckedContinuation<Void, Never>) { waiters.withLock { $0.append(waiter) } }
}

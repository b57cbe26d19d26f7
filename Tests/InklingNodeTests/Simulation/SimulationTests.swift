import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import Synchronization
import Testing

@Suite struct SimulationTests {
    @Test func `the same seed gives the same sightings, and another seed gives others`() async throws {
        let first = try await storyOfThree(seed: 7)
        #expect(first.count > 50)
        #expect(try await storyOfThree(seed: 7) == first)
        #expect(try await storyOfThree(seed: 8) != first)
    }

    @Test func `time passes only as far as it is let`() async throws {
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

    @Test func `sleepers wake in the order of their moments and at them`() async throws {
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

    @Test func `a cancelled sleeper wakes at once and says so`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let clock = simulation.addHost().clock
            let outcome = Noted<Bool?>(nil)
            let end = clock.read().tick.advanced(byMilliseconds: 1_000_000)
            simulation.start {
                await withTaskGroup { group in
                    group.addTask { outcome.value = await isCancelled(sleepUntil: end, on: clock) }
                    group.cancelAll()
                }
            }
            await simulation.settle()
            #expect(outcome.value == true)
            #expect(simulation.elapsed == 0)
        }
    }

    @Test func `a condition that does not come to hold is reported at its deadline`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            await #expect(throws: Simulation.Failure.timedOut(milliseconds: 5000)) {
                try await simulation.wait(forSeconds: 5) { false }
            }
            #expect(simulation.elapsed == 5000)
        }
    }

    @Test func `a body that waits for nothing is stopped`() async throws {
        await #expect(throws: Simulation.Failure.stalled) {
            try await Simulation.run(seed: 1) { _ in
                await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in Parked.park(waiter) }
            }
        }
    }

    @Test func `a machine that sleeps misses its timers until it wakes`() async throws {
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

    @Test func `a clock that is set or runs fast changes protocol time alone`() async throws {
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

    @Test func `nothing passes between hosts that are parted, and everything again after`() async throws {
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

    @Test func `a muted link is read to nowhere and reset five seconds after it was accepted`() async throws {
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

    @Test func `the ninth stranger from one address costs the first its place`() async throws {
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

private func isCancelled(sleepUntil end: Tick, on clock: SimulatedClock) async -> Bool {
    do {
        try await clock.sleep(until: end)
        return false
    } catch {
        return error is CancellationError
    }
}

/// Keeps a continuation alive that nobody resumes, so that only the simulation can notice.
private enum Parked {
    private static let waiters = Mutex<[CheckedContinuation<Void, Never>]>([])
    static func park(_ waiter: CheckedContinuation<Void, Never>) { waiters.withLock { $0.append(waiter) } }
}

private func storyOfThree(seed: UInt64) async throws -> [NetworkSighting] {
    try await Simulation.run(seed: seed) { simulation in
        simulation.network.conditions.loss = 0.2
        let people = try ["A", "B", "C"].map { try Person($0, in: simulation) }
        await simulation.settle()
        try await acquaint(people[0], people[1])
        try await acquaint(people[1], people[2])
        await simulation.advance(bySeconds: 2000)
        return simulation.network.sightings
    }
}

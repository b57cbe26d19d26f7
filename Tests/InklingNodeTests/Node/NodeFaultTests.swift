import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

@Suite struct NodeFaultTests {
    @Test func `an epoch is not shown until its high-water mark can be stored, even if the network changes`()
        async throws
    {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let shown = announced(by: alice, in: simulation)
            await alice.keeper.fail(with: .diskFull)
            await simulation.advance(bySeconds: try secondsToBoundary(of: alice) + 30)
            alice.host.monitor.report()
            await simulation.advance(bySeconds: 200)
            #expect(announced(by: alice, in: simulation) == shown)
            guard case .vault(let error) = await alice.node.status().silence else {
                Issue.record("expected the silence reason .vault")
                return
            }
            #expect(error.fault == .diskFull)
            #expect(alice.events.contains(.trouble(.notSaved(error))))
            await alice.keeper.fail(with: nil)
            try await simulation.wait(forSeconds: 30) { await alice.isShown() }
            #expect(await alice.keeper.contents.highWaterEpoch == alice.node.status().showing)
            try await meet(alice, bob, withinSeconds: 930)
        }
    }

    @Test func `a node whose disk is read-only answers no first message`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await simulation.wait(forSeconds: 20) { await alice.isShown() }
            await alice.keeper.fail(with: .readOnly)
            await simulation.advance(bySeconds: 10)
            // Alice may have called Bob, but has answered no call.
            let port = try #require(announced(by: alice, in: simulation).first).port
            #expect(
                !simulation.network.sightings(from: alice.host).contains {
                    if case .packet(let target, let bytes) = $0.kind {
                        target.port != port && bytes.first == 0x20
                    } else {
                        false
                    }
                })
            #expect(bob.events.count { $0 == .confirmed(alice.user, over: .lan, after: nil) } <= 1)
        }
    }

    @Test func `a change that cannot be saved has no effect`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            await alice.keeper.fail(with: .diskFull)
            let before = await alice.node.contacts()
            await #expect(throws: NodeError.self) { try await alice.node.rename(bob.user, to: "Robert") }
            await #expect(throws: NodeError.self) { try await alice.node.remove(bob.user) }
            #expect(await alice.node.contacts() == before)
            await alice.keeper.fail(with: nil)
            try await alice.node.rename(bob.user, to: "Robert")
            #expect(await alice.node.contacts().map(\.name) == ["Robert"])
            await #expect(throws: NodeError.badName) { try await alice.node.rename(bob.user, to: "a\u{202e}b") }
        }
    }

    @Test func `a node is silent while discovery cannot start`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            alice.host.discovery.fail(with: .noNetwork)
            try await simulation.wait(forSeconds: 20) { await alice.node.status().silence == .discovery(.noNetwork) }
            await simulation.advance(bySeconds: 100)
            #expect(!alice.events.contains { if case .showing = $0 { true } else { false } })
            alice.host.discovery.fail(with: nil)
            try await simulation.wait(forSeconds: 30) { await alice.isShown() }
            try await meet(alice, bob)
        }
    }

    @Test func `a discovery server that fails is replaced after a new silent gap`() async throws {
        try await Simulation.run(seed: 5) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            alice.host.discovery.crash(with: .server(code: -21))
            try await simulation.wait(forSeconds: 1) {
                await alice.node.status().silence == .discovery(.server(code: -21))
            }
            try await simulation.wait(forSeconds: 12) { await alice.isShown() }
            #expect(simulation.network.discoverySessionCount == 2)
            try await meet(alice, bob, withinSeconds: 930)
        }
    }

    @Test func `a node is silent while it cannot open a port`() async throws {
        try await Simulation.run(seed: 6) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            alice.host.links.fail(with: .unreachable(code: 24))
            await simulation.advance(bySeconds: 60)
            #expect(await alice.node.status().silence == .links(.unreachable(code: 24)))
            #expect(simulation.network.sightings(from: alice.host) == [])
            alice.host.links.fail(with: nil)
            try await meet(alice, bob)
        }
    }

    @Test func `after a network change every link ends and the epoch is shown again on another port`() async throws {
        try await Simulation.run(seed: 7) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let before = try #require(announced(by: alice, in: simulation).first)
            alice.host.changeAddress()
            await simulation.settle()
            #expect(await alice.node.status().sessions == 0)
            try await simulation.wait(forSeconds: 12) { await alice.isShown() }
            let after = try #require(announced(by: alice, in: simulation).first)
            #expect(after.name == before.name)
            #expect(after.port != before.port)
            // Goodbyes are sent only at boundaries.
            #expect(!simulation.network.sightings.contains { if case .goodbye = $0.kind { true } else { false } })
            try await meet(alice, bob, withinSeconds: 930)
        }
    }

    /// Covers INK-HSK-013, INK-RCG-073.
    @Test func `links that are reset while they are made delay a meeting, and do not end it for the epoch`()
        async throws
    {
        try await Simulation.run(seed: 9) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            // No call comes later than 11 s after the start of an epoch, so every first attempt fails.
            for _ in 0..<4_000 {
                await simulation.advance(byMilliseconds: 3)
                bob.host.resetLinks()
            }
            let calls = [alice, bob].map { $0.events.count { if case .planned = $0 { true } else { false } } }
            #expect(calls.reduce(0, +) >= 1)
            #expect(alice.confirmations(of: bob) == 0)
            #expect(try secondsToBoundary(of: alice) > 60)
            try await meet(alice, bob, withinSeconds: 60)
        }
    }

    @Test func `a link that failed decides over endpoints that were silent or refused`() {
        let failures: [AttemptFailure] = [.reset, .unreachable, .refused, .silent]
        for (place, one) in failures.enumerated() {
            for other in failures[place...] {
                #expect(Node.said(one, other) == one)
                #expect(Node.said(other, one) == one)
            }
            #expect(Node.said(nil, one) == one)
        }
    }

    @Test func `a link that ends within three seconds of the first message failed, and a later end is silence`() {
        #expect(Node.failure(.closed, afterMilliseconds: 2999) == .reset)
        #expect(Node.failure(.closed, afterMilliseconds: 3000) == .silent)
        #expect(Node.failure(.timedOut, afterMilliseconds: 100) == .silent)
        #expect(Node.failure(.oversized(announced: 9, limit: 1), afterMilliseconds: 100) == .refused)
    }

    /// Covers INK-HSK-055.
    @Test
    func `a lost link is reconnected at the same address up to three times in an epoch`()
        async throws
    {
        try await Simulation.run(seed: 8) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            // Each side may begin one session in an epoch, and reconnect it three times.
            for loss in 1...9 {
                bob.host.resetLinks()
                await simulation.advance(bySeconds: 10)
                let (one, other) = (await alice.node.status().sessions, await bob.node.status().sessions)
                #expect(one == other, "loss \(loss)")
                if loss <= 3 { #expect(one == 1, "loss \(loss)") }
                if loss >= 8 { #expect(one == 0, "loss \(loss)") }
            }
            #expect(alice.confirmations(of: bob) <= 8)
            await #expect(throws: NodeError.notReachable) { try await alice.node.send("hello?", to: bob.user) }
            // The name is still evidence for the contact's presence.
            #expect(await alice.node.contacts().first?.presence.isPresent == true)
            try await meet(alice, bob, withinSeconds: 930)
        }
    }

    @Test func `a message to a vanished host fails, and its contact is gone after a while`() async throws {
        try await Simulation.run(seed: 9) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            bob.host.setConnected(false)
            await #expect(throws: NodeError.notAcknowledged) { try await alice.node.send("hello?", to: bob.user) }
            try await simulation.wait(forSeconds: 400) { alice.events.contains(.presence(bob.user, .gone)) }
            bob.host.setConnected(true)
            try await meet(alice, bob, withinSeconds: 930)
        }
    }

    @Test func `contacts meet again after a network partition`() async throws {
        try await Simulation.run(seed: 10) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            simulation.network.partition([[alice.host], [bob.host]])
            await simulation.advance(bySeconds: 1200)
            #expect(alice.confirmations(of: bob) == 0)
            simulation.network.heal()
            try await meet(alice, bob, withinSeconds: 930)
        }
    }

    @Test func `a node whose name another device shows stays visible, and contacts still meet it`() async throws {
        try await Simulation.run(seed: 11) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let claimed = try #require(announced(by: alice, in: simulation).first)
            let mallory = simulation.addHost()
            let imitation = ServiceInstance(name: claimed.name, host: claimed.host, port: 9)
            let imitator = try await mallory.discovery.open(
                Publication(announced: imitation, browses: false), recognising: KnownNames())
            try await simulation.wait(forSeconds: 5) { alice.events.contains(.imitated) }
            try await bob.stop()
            try await bob.restart()
            try await meet(alice, bob)
            #expect(await alice.isShown())
            #expect(alice.events.count { $0 == .imitated } == 1)
            await imitator.close(goodbye: false)
        }
    }

    @Test func `a node that restarts within an epoch is found again after a new silent gap`() async throws {
        try await Simulation.run(seed: 12) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            try await alice.stop()
            try await alice.restart()
            try await simulation.wait(forSeconds: 12) { await alice.isShown() }
            // Alice has made no attempt in this run, so the two meet at once.
            try await meet(alice, bob, withinSeconds: 10)
        }
    }
}

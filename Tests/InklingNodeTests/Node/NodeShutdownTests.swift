import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Synchronization
import Testing

@testable import InklingNode
@testable import InklingVault

@Suite struct NodeShutdownTests {
    @Test func `a yes after the node has stopped is answered`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let (isAsked, answer) = (Reply<Void>(), Reply<Bool>())
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(600)) { _ in
                isAsked.send(())
                return await answer.value()
            }
            let joined = Reply<Result<Standing, NodeError>>()
            simulation.start {
                do throws(NodeError) {
                    joined.send(.success(try await bob.node.accept(invitation) { _ in true }.standing))
                } catch {
                    joined.send(.failure(error))
                }
            }
            await isAsked.value()
            try await alice.stop()
            answer.send(true)
            await #expect(throws: NodeError.self) { try await alice.node.invitationOutcome() }
            // Bob has accepted, and never hears whether Alice has.
            #expect(try await joined.value().get() == .waiting)
            #expect(await alice.keeper.contents.contacts.isEmpty)
            #expect(await alice.node.contacts().isEmpty)
        }
    }

    @Test func `a joiner who gives up while the user decides has no contact`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let (alice, bob) = try await strangers(in: simulation)
            let (invitation, _) = try await alice.node.invite(lasting: .seconds(600)) { _ in true }
            let (isAsked, isGivenUp, answer) = (Reply<Void>(), Reply<Void>(), Reply<Bool>())
            let joined = Reply<NodeError?>()
            simulation.start {
                await withDiscardingTaskGroup { group in
                    group.addTask {
                        do throws(NodeError) {
                            _ = try await bob.node.accept(invitation) { _ in
                                isAsked.send(())
                                return await answer.value()
                            }
                            joined.send(nil)
                        } catch {
                            joined.send(error)
                        }
                    }
                    await isGivenUp.value()
                    group.cancelAll()
                }
            }
            await isAsked.value()
            isGivenUp.send(())
            let before = simulation.elapsed
            #expect(await joined.value() != nil)
            // The node would otherwise wait for the user as long as the link is there.
            #expect(simulation.elapsed - before < 1000)
            answer.send(true)
            await simulation.settle()
            #expect(await bob.keeper.contents.contacts.isEmpty)
            #expect(await bob.node.contacts().isEmpty)
        }
    }

    @Test func `every request is answered although the node is cancelled at any moment`() async throws {
        for step: UInt64 in 0..<6 {
            try await Simulation.run(seed: 20 + step) { simulation in
                let (alice, bob) = try await contacts(in: simulation)
                try await alice.stop()
                let contents = await alice.keeper.contents
                let node = try #require(
                    Node(contents: contents, keeper: alice.keeper, ports: alice.host.ports(run: 40)))
                let isOver = Reply<Void>()
                let cancelled = Reply<Void>()
                simulation.start {
                    await withDiscardingTaskGroup { group in
                        group.addTask { await node.run() }
                        await cancelled.value()
                        group.cancelAll()
                    }
                    isOver.send(())
                }
                let answers = (0..<20).map { _ in Reply<Bool>() }
                for (number, answer) in answers.enumerated() {
                    simulation.start {
                        do throws(NodeError) {
                            try await node.rename(bob.user, to: "Bob \(number)")
                            answer.send(true)
                        } catch {
                            answer.send(false)
                        }
                    }
                    if number == 10 {
                        await simulation.advance(byMilliseconds: step * 7)
                        cancelled.send(())
                    }
                }
                // A continuation that is never resumed would stall the simulation.
                for answer in answers { _ = await answer.value() }
                await isOver.value()
                #expect(await node.contacts().count == 1)
            }
        }
    }

    @Test func `no connection may go on beyond the moment of silence before a boundary`() async throws {
        try await Simulation.run(seed: 30) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await alice.stop()
            var ports = alice.host.ports(run: 60)
            let watched = WatchedLinks(ports.links, alice.host.clock)
            ports.links = watched
            let node = try #require(Node(contents: await alice.keeper.contents, keeper: alice.keeper, ports: ports))
            simulation.start(node)
            // Bob appears again and again in the last seconds of the epoch, and is called.
            for before: UInt64 in [6, 4, 3, 2] {
                try await bob.stop()
                let rest = try secondsToBoundary(of: alice)
                await simulation.advance(bySeconds: rest > before + 11 ? rest - before - 11 : rest + 880)
                try await bob.restart()
                await simulation.advance(bySeconds: 30)
            }
            await simulation.advance(bySeconds: 2000)
            #expect(watched.ends.count >= 2)
            for end in watched.ends {
                #expect(end.deadline <= end.silence, "\(end)")
            }
            node.stop()
        }
    }
}

/// Links that record the deadline of each connection.
private final class WatchedLinks: LinkTransport {
    struct End: Sendable {
        let deadline: UInt64
        let silence: UInt64
    }

    private let links: any LinkTransport
    private let clock: SimulatedClock
    private let noted = Mutex<[End]>([])

    init(_ links: any LinkTransport, _ clock: SimulatedClock) {
        self.links = links
        self.clock = clock
    }

    var ends: [End] { noted.withLock { $0 } }

    func listen() async throws(LinkError) -> any LinkListener { try await links.listen() }

    func connectOnLink(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
        try await connect(to: endpoint, within: timeout)
    }

    func connect(to endpoint: Endpoint, within timeout: Duration) async throws(LinkError) -> any Link {
        let now = clock.read()
        if let epoch = Epoch(containing: now.unixSeconds) {
            let deadline = now.unixMilliseconds + UInt64(timeout / .milliseconds(1))
            noted.withLock { $0.append(End(deadline: deadline, silence: epoch.end * 1000 - 1000)) }
        }
        return try await links.connect(to: endpoint, within: timeout)
    }
}

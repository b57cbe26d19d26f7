import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import Testing

extension Person {
    /// Returns the times of the events that match, in milliseconds of the simulation.
    fileprivate func times(where matches: (NodeEvent) -> Bool) -> [UInt64] {
        story.filter { matches($0.event) }.map(\.time)
    }

    fileprivate func arrivals(of other: Person) -> [UInt64] { times { $0 == .arrived(other.user) } }
    fileprivate func departures(of other: Person) -> [UInt64] { times { $0 == .left(other.user) } }
}

private func untilBoundary(_ person: Person) -> UInt64 { 900_000 - person.host.clock.read().unixMilliseconds % 900_000 }

@Suite struct `When contacts count as arrived and as left` {
    /// Covers INK-RCG-083, INK-REC-044.
    @Test func `a node that stops says so, and has left half a minute later`() async throws {
        try await Simulation.run(seed: 11) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            try await simulation.wait(forSeconds: 5) { !alice.arrivals(of: bob).isEmpty }
            let stopped = simulation.elapsed
            try await bob.stop()
            try await simulation.wait(forSeconds: 200) { !alice.departures(of: bob).isEmpty }
            let left = try #require(alice.departures(of: bob).first) - stopped
            #expect((30_000...32_000).contains(left), "\(left) ms after the goodbye")
        }
    }

    /// The control of the test before: without a goodbye the departure timer decides.
    @Test func `a node whose network goes has left after two minutes of silence`() async throws {
        try await Simulation.run(seed: 11) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            try await simulation.wait(forSeconds: 5) { !alice.arrivals(of: bob).isEmpty }
            let cut = simulation.elapsed
            bob.host.resetLinks()
            bob.host.setConnected(false)
            try await simulation.wait(forSeconds: 1000) { !alice.departures(of: bob).isEmpty }
            let left = try #require(alice.departures(of: bob).first) - cut
            #expect(left >= 120_000, "\(left) ms after the cut")
        }
    }

    /// Covers INK-REC-044.
    @Test func `a node that becomes visible to nobody says that it leaves`() async throws {
        try await Simulation.run(seed: 12) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob, withinSeconds: 60)
            let hidden = simulation.elapsed
            try await bob.node.becomeVisible(to: .nobody)
            try await simulation.wait(forSeconds: 200) { !alice.departures(of: bob).isEmpty }
            let left = try #require(alice.departures(of: bob).first) - hidden
            #expect((30_000...32_000).contains(left), "\(left) ms after the goodbye")
        }
    }

    /// Covers INK-REC-045.
    @Test func `boundaries make nobody leave, not even with the shortest delays`() async throws {
        try await Simulation.run(seed: 13) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await alice.node.setDelays(ContactDelays(leave: .seconds(30)), of: bob.user)
            try await meet(alice, bob, withinSeconds: 60)
            for _ in 0..<3 {
                await simulation.advance(byMilliseconds: untilBoundary(alice) - 100)
                let explanation = try await alice.node.explain(bob.user)
                #expect(!explanation.engine.hasSession && explanation.engine.goodbye == nil)
                await simulation.advance(bySeconds: 60)
            }
            #expect(alice.departures(of: bob).isEmpty)
            #expect(alice.arrivals(of: bob).count == 1)
        }
    }

    /// Covers INK-RCG-072.
    @Test(arguments: [nil, 300] as [Int?])
    func `a contact that is away for a minute again and again flaps only without a delay`(seconds: Int?) async throws {
        try await Simulation.run(seed: 14) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            if let seconds {
                try await alice.node.setDelays(ContactDelays(leave: .seconds(seconds)), of: bob.user)
            }
            try await meet(alice, bob, withinSeconds: 60)
            for _ in 0..<3 {
                try await bob.stop()
                await simulation.advance(bySeconds: 60)
                try await bob.restart()
                try await simulation.wait(forSeconds: 960) {
                    try await alice.node.explain(bob.user).engine.hasSession
                }
            }
            if seconds == nil {
                #expect(alice.departures(of: bob).count == 3)
                #expect(alice.arrivals(of: bob).count == 4)
            } else {
                #expect(alice.departures(of: bob).isEmpty)
                #expect(alice.arrivals(of: bob).count == 1)
            }
        }
    }

    /// Covers INK-RCG-084.
    @Test func `delays are used at once, in later runs too, and only for their contact`() async throws {
        try await Simulation.run(seed: 15) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let carol = try Person("Carol", in: simulation)
            try await acquaint(alice, carol)
            try await meet(alice, bob, withinSeconds: 60)
            try await meet(alice, carol, withinSeconds: 60)
            let chosen = ContactDelays(arrive: .seconds(20), leave: .seconds(200), goodbye: .seconds(90))
            try await alice.node.setDelays(chosen, of: bob.user)
            // An arrival stays an arrival.
            await simulation.advance(bySeconds: 1)
            #expect(alice.arrivals(of: bob).count == 1 && alice.departures(of: bob).isEmpty)
            let stopped = simulation.elapsed
            try await bob.stop()
            try await carol.stop()
            try await simulation.wait(forSeconds: 300) { !alice.departures(of: bob).isEmpty }
            let left = try #require(alice.departures(of: bob).first) - stopped
            #expect((90_000...92_000).contains(left), "\(left) ms after the goodbye")
            let other = try #require(alice.departures(of: carol).first) - stopped
            #expect((30_000...32_000).contains(other), "the delays of another contact")

            try await alice.stop()
            try await alice.restart()
            await simulation.settle()
            let summary = try await alice.contact(bob)
            #expect(summary.chosenDelays == chosen && summary.delays == chosen)
            #expect(try await alice.contact(carol).chosenDelays.isDefault)
            #expect(
                try await alice.contact(carol).delays
                    == ContactDelays(arrive: .zero, leave: .seconds(120), goodbye: .seconds(30)))
            try await bob.restart()
            try await simulation.wait(forSeconds: 960) { alice.arrivals(of: bob).count == 2 }
            let confirmed = try #require(
                alice.times { if case .confirmed(bob.user, _, _) = $0 { true } else { false } }.last)
            let arrived = try #require(alice.arrivals(of: bob).last)
            #expect(arrived >= 20_000 + confirmed - 1000, "the arrival delay of a later run")

            try await alice.node.setDelays(ContactDelays(), of: bob.user)
            #expect(try await alice.contact(bob).chosenDelays.isDefault)
        }
    }

    @Test func `delays of somebody who is no contact are refused, and those that cannot be stored have no effect`()
        async throws
    {
        try await Simulation.run(seed: 16) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            let carol = try Person("Carol", in: simulation)
            await #expect(throws: NodeError.unknownContact) {
                try await alice.node.setDelays(ContactDelays(), of: carol.user)
            }
            await alice.keeper.fail(with: .diskFull)
            await #expect(throws: NodeError.self) {
                try await alice.node.setDelays(ContactDelays(leave: .seconds(600)), of: bob.user)
            }
            #expect(try await alice.contact(bob).chosenDelays.isDefault)
        }
    }

    @Test func `delays outside their ranges are put into them`() {
        let wide = ContactDelays(arrive: .seconds(1 << 40), leave: .zero, goodbye: .milliseconds(31_999))
        #expect(wide.arrive == .seconds(86_400) && wide.leave == .seconds(30) && wide.goodbye == .seconds(31))
        var delays = ContactDelays()
        delays.leave = .seconds(90_000)
        #expect(delays.leave == .seconds(86_400) && !delays.isDefault)
    }
}

import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingWire
import Testing

@Suite struct NodeProfileTests {
    /// Covers INK-PRF-001, INK-PRF-002.
    @Test func `contacts of one profile meet by its values, and contacts of different profiles do not see each other`()
        async throws
    {
        try await Simulation.run(seed: 41) { simulation in
            let profile = try ApplicationProfile(name: "Example Chat")
            let ada = try Person("Ada", in: simulation, hasRadio: true, profile: profile)
            let bob = try Person("Bob", in: simulation, hasRadio: true, profile: profile)
            let cy = try Person("Cy", in: simulation, hasRadio: true)
            await simulation.settle()
            try await acquaint(ada, bob)
            try await acquaint(ada, cy)
            try await meet(ada, bob)
            // Into the next epoch, under new values of each.
            await simulation.advance(bySeconds: 1500)
            for (one, other) in [(ada, cy), (cy, ada), (cy, bob)] {
                #expect(one.confirmations(of: other) == 0)
                #expect(
                    !one.events.contains { event in
                        if case .presence(other.user, let state) = event {
                            state != .unseen && state != .gone
                        } else {
                            false
                        }
                    })
            }
            #expect(ada.confirmations(of: bob) > 0)
            let frames = try simulation.air.broadcasts(from: ada.radio).map { try IBeacon(parsing: $0.bytes.span) }
            #expect(!frames.isEmpty)
            #expect(frames.allSatisfy { profile.matches($0) && !ApplicationProfile.inkling.matches($0) })
            #expect(simulation.air.calls(from: cy.radio).isEmpty)
        }
    }
}

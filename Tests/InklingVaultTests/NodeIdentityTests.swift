import InklingKeys
import InklingTesting
import Testing

@testable import InklingVault

@Suite struct NodeIdentityTests {
    /// Returns the first name that an audience shows, which depends only on its root.
    private func shown(id: AudienceID, generation: UInt32, seed: UInt64) throws -> String {
        var generator = SeededGenerator(seed: seed)
        let audience = Audience(id: id, generation: generation, from: examplePeriod, using: &generator)
        let keys = try unwrap(audience.tree.value.periodKey(examplePeriod)).deviceKeys(.first)
        return keys.mdns.serviceName(examplePeriod.firstEpoch).description
    }

    /// Covers INK-KEY-005.
    @Test func `the root of an audience depends only on the generator`() throws {
        let first = try shown(id: 1, generation: 1, seed: 1)
        #expect(try shown(id: 2, generation: 9, seed: 1) == first)
        #expect(try shown(id: 1, generation: 1, seed: 2) != first)
    }
}

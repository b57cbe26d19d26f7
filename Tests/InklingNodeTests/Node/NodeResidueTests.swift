import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import Testing

/// The residue in the memory of the process when a period is over.
@Suite struct NodeResidueTests {
    /// Covers INK-ROT-025, INK-ROT-026, INK-ROT-028.
    @Test(arguments: [false, true])
    func `no key of a period is in memory when it is over`(staysVisible: Bool) async throws {
        // Both run in one process, and must not have the same keys.
        try await Simulation.run(seed: staysVisible ? 25_028 : 25_029) { simulation in
            let alice = try await hasMetSomebody(in: simulation)
            // The last minute of the third epoch of a period, in which the fourth is prepared.
            let now = alice.host.clock.read().unixSeconds
            let start = (now / 3600 + 1) * 3600
            await simulation.advance(bySeconds: start + 3 * 900 - 30 - now)
            let period = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            let search = try await keys(of: alice, in: period)
            let before = try #require(search.found())
            #expect(Set(before.keys) == search.names, "not in memory: \(search.names.subtracting(before.keys))")

            if !staysVisible { try await alice.node.becomeVisible(to: .nobody) }
            // Until the skew allowance has passed after the end of the period.
            await simulation.advance(bySeconds: 30 + 900 + 130)
            let showing = await alice.node.status().showing
            #expect((showing == nil) == !staysVisible)
            let after = try #require(search.found())
            #expect(after == [:])
        }
    }

    /// Without this, the test above could miss what it searches for.
    @Test func `a search finds what is in memory, and what was released without being wiped`() throws {
        var search = MemorySearch()
        let secret = (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ 17) }
        search.add("a secret", secret.span)
        #expect(try #require(search.found())["a secret", default: 0] >= 1)
        withExtendedLifetime(secret) {}
        var kept = SecretBytes(count: 32) { view in
            for index in view.indices { view[index] = UInt8(truncatingIfNeeded: index &* 57 &+ 3) }
        }
        var other = MemorySearch()
        kept.withBytes { other.add("a wiped secret", $0) }
        #expect(try #require(other.found()) == ["a wiped secret": 1])
        kept = SecretBytes(count: 1) { _ in }
        #expect(try #require(other.found()) == [:])
    }
}

/// Returns a person who has met a contact. The contact is gone: it held the same keys, and may keep them for longer.
private func hasMetSomebody(in simulation: Simulation) async throws -> Person {
    let (alice, bob) = try await contacts(in: simulation)
    try await meet(alice, bob)
    try await bob.stop()
    return alice
}

/// Returns a search for the keys of a period that a person's node holds: those of the nodes of the trees that cover it,
/// and the keys derived from them for its last epoch.
private func keys(of person: Person, in period: Period) async throws -> MemorySearch {
    let contents = await person.keeper.contents
    var search = MemorySearch()
    let last = try #require(Epoch(period.firstEpoch.number + 3))
    let own = try unwrap(contents.audiences.first).tree
    _ = own.value.withNode(covering: period) { _, key in search.add("the node of the own tree", key) }
    let ownKeys = try unwrap(own.value.periodKey(period)).deviceKeys(.first)
    ownKeys.confirm.preSharedKey(last).withBytes { search.add("the own pre-shared key", $0) }
    ownKeys.confirm.gateKey(last).withBytes { search.add("the own gate key", $0) }
    let grant = try #require(contents.contacts.first?.grants.first)
    _ = grant.tree.value.withNode(covering: period) { _, key in search.add("the node of a contact's tree", key) }
    return search
}

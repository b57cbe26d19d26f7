import Dispatch
import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
package import InklingVault
import Synchronization
import Testing

/// The contents of a vault, in memory.
package actor KeptContents: ContentsKeeper {
    package private(set) var contents: VaultContents

    package init(_ contents: VaultContents) { self.contents = contents }

    package func save(_ contents: VaultContents) { self.contents = contents }
}

/// Creates two homes whose nodes recognise each other by cards and sealed grants, without a first contact.
///
/// They belong to this test alone: concurrent tests meet in the same network.
package func acquaintances(in folder: Folder) throws -> (Home, Home) {
    let contents = try acquaintedContents("Ada", "Bo")
    return (
        try Home("Ada", in: folder, contents: contents[0]), try Home("Bo", in: folder, contents: contents[1])
    )
}

/// Creates the contents of vaults, of which the first is a contact of all others, at the time at which demonstration clocks
/// begin. Blocks the thread.
package func acquaintedContents(_ names: String...) throws -> [VaultContents] { try acquaintedContents(names) }

/// Creates the contents of vaults, of which the first is a contact of all others, at the time at which demonstration clocks
/// begin. Blocks the thread.
package func acquaintedContents(_ names: [String]) throws -> [VaultContents] {
    let outcome = Mutex<Result<[VaultContents], any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let result: Result<[VaultContents], any Error>
        do { result = .success(try await exchangeCards(names)) } catch { result = .failure(error) }
        outcome.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    return try #require(outcome.withLock { $0 }).get()
}

/// Lets simulated nodes exchange cards and sealed grants, as their users do with `inkling card add`.
private func exchangeCards(_ names: [String]) async throws -> [VaultContents] {
    try await Simulation.run(seed: 1, start: DemonstrationClock.start) { simulation in
        var nodes: [(node: Node, keeper: KeptContents, card: ContactCard)] = []
        for name in names {
            let host = simulation.addHost()
            let now = try #require(Epoch(containing: host.clock.read().unixSeconds)).period
            // The identities are drawn by the system, so that no other test has the same.
            var generator = SystemRandomNumberGenerator()
            var contents = try NodeIdentity.makeContents(name: name, now: now, using: &generator)
            contents.vouches.insert(.clock)
            let card = try ContactCard(parsing: contents.card.span, now: now)
            let keeper = KeptContents(contents)
            let node = try #require(
                Node(contents: contents, keeper: keeper, ports: host.ports, isVisible: false, trustsClock: true))
            simulation.start(node)
            await node.started()
            nodes.append((node, keeper, card))
        }
        let first = nodes[0]
        for other in nodes.dropFirst() {
            let there = try await first.node.add(other.card)
            let here = try await other.node.add(first.card)
            for sealed in try await first.node.sealedGrants(for: there.user) {
                _ = try await other.node.acceptSealedGrant(sealed)
            }
            for sealed in try await other.node.sealedGrants(for: here.user) {
                _ = try await first.node.acceptSealedGrant(sealed)
            }
        }
        var all: [VaultContents] = []
        for one in nodes {
            one.node.stop()
            await simulation.settle()
            var contents = await one.keeper.contents
            // The clock of the vault begins again.
            contents.latestAcceptedTime = nil
            all.append(contents)
        }
        return all
    }
}

import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingVault
import InklingWire
import Synchronization
import Testing

@Suite struct `The simulated disk` {
    @Test(arguments: [true, false])
    func `reports a write as stored unless its power was cut before it was synced`(isCut: Bool) async throws {
        try await Simulation.run(seed: 1) { simulation in
            let host = simulation.addHost()
            var randomness = host.ports.randomness
            let now = try #require(Epoch(containing: host.clock.read().unixSeconds)).period
            let contents = try NodeIdentity.makeContents(name: "Ada", now: now, using: &randomness)
            let disk = SimulatedDisk(contents, clock: host.clock, seed: 1)
            let outcome = Mutex<Result<Void, VaultError>?>(nil)
            simulation.start {
                do throws(VaultError) {
                    try await disk.save(contents)
                    outcome.withLock { $0 = .success(()) }
                } catch {
                    outcome.withLock { $0 = .failure(error) }
                }
            }
            await simulation.settle()
            if isCut {
                disk.losePower()
                // What was open when the power failed stays undecided after it is back.
                disk.turnOn()
            }
            await simulation.advance(bySeconds: 1)
            let last = outcome.withLock { $0 }
            let found = try #require(last)
            if isCut {
                #expect(throws: VaultError.self) { try found.get() }
            } else {
                try found.get()
            }
        }
    }
}

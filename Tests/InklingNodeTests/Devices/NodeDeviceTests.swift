import InklingEngine
import InklingKeys
import InklingSimulation
import InklingTesting
import InklingWire
import Testing

@testable import InklingNode
@testable import InklingVault

/// A new device that tries to join, and its stored contents.
struct NewDevice {
    let contents: VaultContents?
    let failure: NodeError?
    /// The fingerprints that the two devices showed.
    let fingerprints: [String]
}

/// Returns the form in which a vault stores contents.
private func storedForm(of contents: VaultContents) throws -> [UInt8] {
    var writer = SecretWriter()
    try contents.write(to: &writer)
    return writer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
}

/// Links a new device to a person's primary device.
func linkDevice(
    to person: Person, in simulation: Simulation, agreesThere: Bool = true, agreesHere: Bool = true
) async throws -> (device: NewDevice, outcome: Result<ListedDevice, NodeError>) {
    let shown = Noted<[String]>([])
    let (invitation, port) = try await person.node.linkDevice(lasting: .seconds(600)) { introduction in
        shown.value += [introduction.fingerprint]
        return agreesThere
    }
    let host = simulation.addHost()
    var randomness = host.ports(run: 7).randomness
    let empty = Node.contentsOfNewDevice(using: &randomness)
    let node = try #require(
        Node(
            contents: empty, keeper: MemoryKeeper(empty),
            ports: host.ports(run: 8), isVisible: false))
    simulation.start(node)
    await node.started()
    let stored = Noted<VaultContents?>(nil)
    let failure = Noted<NodeError?>(nil)
    let isOver = Noted(false)
    simulation.start {
        do throws(NodeError) {
            try await node.joinDevice(
                invitation, at: Endpoint(address: person.host.address, port: port),
                confirm: { introduction in
                    shown.value += [introduction.fingerprint]
                    return agreesHere
                },
                store: { contents in
                    stored.value = contents
                    return true
                })
        } catch {
            failure.value = error
        }
        isOver.value = true
    }
    let outcome = Noted<Result<ListedDevice, NodeError>?>(nil)
    simulation.start {
        do throws(NodeError) { outcome.value = .success(try await person.node.linkOutcome()) } catch {
            outcome.value = .failure(error)
        }
    }
    try await simulation.wait(forSeconds: 400) { isOver.value && outcome.value != nil }
    node.stop()
    await simulation.settle()
    return (
        NewDevice(contents: stored.value, failure: failure.value, fingerprints: shown.value),
        try #require(outcome.value)
    )
}

/// Links a new device, and starts it on a host of its own.
func linked(to person: Person, in simulation: Simulation) async throws -> Person {
    let contents = try #require(try await linkDevice(to: person, in: simulation).device.contents)
    return try await Person(person.name, from: contents, in: simulation)
}

@Suite struct NodeDeviceTests {
    /// Covers INK-CRD-001, INK-CRD-003, INK-DEV-001, INK-DEV-002, INK-DEV-003, INK-DEV-004, INK-KEY-027.
    @Test func `a new device gets keys from now on, contacts and signed grants, and no identity`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            await simulation.advance(bySeconds: 4000)
            let (device, outcome) = try await linkDevice(to: alice, in: simulation)
            let contents = try #require(device.contents)
            #expect(device.failure == nil)
            #expect(device.fingerprints.count == 2 && Set(device.fingerprints).count == 1)
            let listed = try outcome.get()
            let primary = await alice.keeper.contents
            let now = try #require(Epoch(containing: alice.host.clock.read().unixSeconds)).period
            #expect(listed.index == contents.device && contents.device != primary.device)
            #expect(contents.rootSeed == nil)
            #expect(contents.card == primary.card)
            #expect(try contents.ownCard(now: now).certificates.map(\.isPrimary) == [true, false])
            #expect(contents.audiences.map(\.generation) == primary.audiences.map(\.generation))
            #expect(contents.audiences[0].tree.value.interval?.lowerBound == now.number)
            #expect(contents.contacts.map(\.user) == [bob.user])
            #expect(contents.contacts[0].grants.map(\.audience) == primary.contacts[0].grants.map(\.audience))
            #expect(contents.linked.grants.map(\.user) == [bob.user])
            #expect(contents.linked.pairs.map(\.user) == [bob.user])
            let stored = try storedForm(of: contents)
            #expect(try storedForm(of: VaultContents(parsing: stored.span)) == stored)
            #expect(try await alice.node.devices().map(\.index) == [primary.device, contents.device])
        }
    }

    /// Covers INK-DEV-005.
    @Test(arguments: [true, false])
    func `nothing is sent, and no device is added, when one of the two refuses`(refusesThere: Bool) async throws {
        try await Simulation.run(seed: 2) { simulation in
            let alice = try Person("Alice", in: simulation)
            await simulation.settle()
            let before = await alice.keeper.contents.card
            let (device, outcome) = try await linkDevice(
                to: alice, in: simulation, agreesThere: !refusesThere, agreesHere: refusesThere)
            #expect(device.contents == nil)
            #expect(device.failure != nil)
            if refusesThere {
                #expect(throws: NodeError.declined) { try outcome.get() }
                #expect(await alice.keeper.contents.card == before)
            } else {
                #expect(throws: NodeError.self) { try outcome.get() }
            }
        }
    }

    /// Covers INK-DEV-006, INK-DEV-007, INK-DEV-011, INK-REC-009.
    @Test func `a contact sees both devices as one person, and knows the second while the primary is away`()
        async throws
    {
        try await Simulation.run(seed: 3) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let second = try await linked(to: alice, in: simulation)
            let devices = try await alice.node.devices().map(\.index)
            // The card and grants that name both reach Bob at the next meeting with the primary.
            try await simulation.wait(forSeconds: 2000) {
                await bob.keeper.contents.contacts.first?.grants.map(\.devices) == [0b11]
            }
            #expect(await bob.node.contacts().map(\.devices) == [devices])
            try await alice.stop()
            try await simulation.wait(forSeconds: 2000) {
                await bob.node.contacts().first?.isReachable == true
            }
            #expect(await bob.node.contacts().count == 1)
            #expect(await bob.node.contacts().first?.presence.isPresent == true)
            #expect(await second.node.contacts().map(\.user) == [bob.user])
            // The operations that only the primary may do.
            await #expect(throws: NodeError.notPrimary) { try await second.node.sealedGrants(for: bob.user) }
            await #expect(throws: NodeError.notPrimary) {
                _ = try await second.node.linkDevice(lasting: .seconds(60)) { _ in true }
            }
            await #expect(throws: NodeError.notPrimary) { try await second.node.removeDevice(.first) }
            // Bob has lost the grant; the second device passes on the one that the primary has signed.
            try await bob.stop()
            var lost = await bob.keeper.contents
            lost.contacts[0].grants = []
            try await bob.keeper.save(lost)
            try await bob.restart()
            try await simulation.wait(forSeconds: 2000) {
                await bob.keeper.contents.contacts.first?.grants.map(\.devices) == [0b11]
            }
        }
    }

    /// Covers INK-CRD-007, INK-CRD-021, INK-DEV-008.
    @Test func `a removed device is on no card, its values match nothing, and no contact answers it`() async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (alice, bob) = try await contacts(in: simulation)
            try await meet(alice, bob)
            let second = try await linked(to: alice, in: simulation)
            try await simulation.wait(forSeconds: 2000) {
                await bob.keeper.contents.contacts.first?.grants.map(\.devices) == [0b11]
            }
            // The control: before the removal the device is answered.
            try await simulation.wait(forSeconds: 2000) { second.confirmations(of: bob) > 0 }
            try await second.stop()
            let index = await second.keeper.contents.device
            let old = await alice.keeper.contents.audiences[0].generation
            try await alice.node.removeDevice(index)
            await #expect(throws: NodeError.unknownDevice) { try await alice.node.removeDevice(index) }
            await #expect(throws: NodeError.ownDevice) { try await alice.node.removeDevice(.first) }
            #expect(await alice.keeper.contents.audiences[0].generation > old)
            try await simulation.wait(forSeconds: 2000) {
                await bob.keeper.contents.contacts.first?.grants.map(\.devices) == [0b1]
            }
            try await alice.stop()
            // The thief switches it on.
            let before = (bob.confirmations(of: alice), second.confirmations(of: bob))
            try await second.restart()
            await simulation.advance(bySeconds: 3 * 900)
            #expect(bob.confirmations(of: alice) == before.0)
            #expect(second.confirmations(of: bob) == before.1)
            #expect(await second.node.status().sessions == 0)
            let table = await bob.node.predictions.table
            for instance in announced(by: second, in: simulation) {
                #expect(table.predictions(for: instance.name).isEmpty)
            }
        }
    }
}

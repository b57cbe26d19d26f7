import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingWire
import Synchronization
import Testing

/// An antenna that is a radio elsewhere in the house: it shows nothing, reports what it hears, and connects if it may.
private final class RadioAntenna: Antenna {
    let facts: AntennaFacts
    let radio: SimulatedRadio
    private let profile = ApplicationProfile.inkling
    /// The number of requests to connect.
    let calls = Mutex(0)

    init(_ name: String, in simulation: Simulation, canConnect: Bool) {
        facts = AntennaFacts(
            name: name, source: .esphome, room: name, clockError: .zero, hasAddresses: true, hasData: true,
            canConnect: canConnect, patience: .seconds(900))
        radio = simulation.addHost(hasRadio: true).radio
    }

    func listen(_ report: @escaping @Sendable (AntennaReport) async -> Void) async {
        guard let session = try? await radio.open(nil) else { return }
        await report(.listening)
        for await one in session.reports {
            guard case .heard(let heard) = one else { continue }
            let sighting = AntennaSighting(
                .beacon(profile.proximity, major: 0, minor: heard.minor), from: heard.address, .random,
                rssi: Int(heard.rssi), observed: heard.observed)
            await report(.heard(heard.minor, sighting))
        }
    }

    func listenAgain() {}

    func connect(to address: DeviceAddress, within timeout: Duration) async throws(LinkError) -> any TaggedLink {
        calls.withLock { $0 += 1 }
        guard facts.canConnect else { throw .closed }
        return try await radio.connect(to: address, within: timeout)
    }
}

/// Two contacts of whom the first one hears the second through antennas, and not over a network.
private func heardThrough(
    _ antennas: [RadioAntenna], in simulation: Simulation, hasRadio: Bool = false, isVisible: Bool = true
) async throws -> (Person, Person) {
    let alice = try Person("Alice", in: simulation, hasRadio: hasRadio)
    let bob = try Person("Bob", in: simulation, hasRadio: true)
    simulation.network.partition([[alice.host], [bob.host]])
    await simulation.settle()
    try await acquaint(alice, bob)
    try await alice.stop()
    try await alice.restart(isVisible: isVisible) { $0.antennas = antennas }
    return (alice, bob)
}

@Suite struct `Calls through antennas` {
    /// Covers INK-ANT-036, INK-ANT-038.
    @Test
    func `a node without a radio confirms a contact, exchanges messages, and has ended the link at each boundary`()
        async throws
    {
        try await Simulation.run(seed: 1) { simulation in
            let hall = RadioAntenna("hall", in: simulation, canConnect: true)
            let (alice, bob) = try await heardThrough([hall], in: simulation)
            try await simulation.wait(forSeconds: 120) { await alice.node.contacts().first?.isReachable == true }
            try await alice.node.send("hello", to: bob.user)
            try await simulation.wait(forSeconds: 30) { bob.events.contains(.message(alice.user, "hello")) }
            try await bob.node.send("and to you", to: alice.user)
            try await simulation.wait(forSeconds: 30) { alice.events.contains(.message(bob.user, "and to you")) }
            #expect(try await alice.contact(bob).reachableOver == [.bluetooth])
            #expect(try await alice.bluetooth().silence == .radio(.notUsed))
            await simulation.advance(bySeconds: 3 * 900)
            #expect(alice.confirmations(of: bob, over: .bluetooth) >= 3)
            let links = simulation.air.links
            #expect(links.count >= 3 && simulation.air.links(from: hall.radio).count == links.count)
            for link in links {
                let last = link.last ?? simulation.elapsed
                #expect(boundaries(in: simulation).allSatisfy { $0 <= link.first || $0 > last })
                #expect(link.exchanges.map(\.outline).prefix(4) == ["read", "tag", "write 129", "notify 113"])
            }
            #expect(simulation.air.broadcasts(from: alice.radio).isEmpty)
        }
    }

    /// Covers INK-ANT-004.
    @Test func `nothing is called through an antenna of which nobody has said that it may`() async throws {
        try await Simulation.run(seed: 1) { simulation in
            let hall = RadioAntenna("hall", in: simulation, canConnect: false)
            let (alice, bob) = try await heardThrough([hall], in: simulation)
            try await simulation.wait(forSeconds: 120) { try await alice.contact(bob).presence == .probable }
            await simulation.advance(bySeconds: 900)
            #expect(simulation.air.links.isEmpty && hall.calls.withLock { $0 } == 0)
            #expect(alice.confirmations(of: bob) == 0)
        }
    }

    /// Covers INK-ANT-036.
    @Test func `an invisible node calls nobody through an antenna`() async throws {
        try await Simulation.run(seed: 2) { simulation in
            let hall = RadioAntenna("hall", in: simulation, canConnect: true)
            _ = try await heardThrough([hall], in: simulation, isVisible: false)
            await simulation.advance(bySeconds: 900)
            #expect(simulation.air.links.isEmpty && hall.calls.withLock { $0 } == 0)
        }
    }

    /// Covers INK-ANT-037.
    @Test func `what the own radio can call is not called through an antenna`() async throws {
        try await Simulation.run(seed: 3) { simulation in
            let hall = RadioAntenna("hall", in: simulation, canConnect: true)
            let (alice, bob) = try await heardThrough([hall], in: simulation, hasRadio: true)
            try await simulation.wait(forSeconds: 120) { await alice.node.contacts().first?.isReachable == true }
            await simulation.advance(bySeconds: 900)
            #expect(simulation.air.links(from: hall.radio).isEmpty && hall.calls.withLock { $0 } == 0)
            #expect(alice.confirmations(of: bob) + bob.confirmations(of: alice) >= 2)
        }
    }

    /// Covers INK-ANT-037.
    @Test(arguments: [true, false])
    func `a radio that cannot call leaves it to the antenna that hears the device`(isPlugged: Bool) async throws {
        try await Simulation.run(seed: 4) { simulation in
            let (hall, attic) = (
                RadioAntenna("hall", in: simulation, canConnect: true),
                RadioAntenna("attic", in: simulation, canConnect: true)
            )
            let alice = try Person("Alice", in: simulation, hasRadio: true)
            // A beacon to which nobody can connect, or an adapter that is not there.
            alice.radio.carriesLinks = false
            if !isPlugged { alice.radio.faults.opening = .noAdapter }
            let bob = try Person("Bob", in: simulation, hasRadio: true)
            simulation.network.partition([[alice.host], [bob.host]])
            // Only the antenna in the attic is near Bob.
            simulation.air.separate([[alice.radio, hall.radio], [bob.radio, attic.radio]])
            await simulation.settle()
            try await acquaint(alice, bob)
            try await alice.stop()
            try await alice.restart { $0.antennas = [hall, attic] }
            try await simulation.wait(forSeconds: 120) { await alice.node.contacts().first?.isReachable == true }
            await simulation.advance(bySeconds: 900)
            #expect(alice.confirmations(of: bob, over: .bluetooth) >= 2)
            #expect(simulation.air.links(from: hall.radio).isEmpty)
            #expect(simulation.air.links(from: attic.radio).count == simulation.air.links.count)
            #expect(try await alice.bluetooth().silence == (isPlugged ? nil : .radio(.noAdapter)))
        }
    }
}

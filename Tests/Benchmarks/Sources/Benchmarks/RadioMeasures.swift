import CSodiumPeers
import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingVault
import InklingWire

/// The MTU of links: the smallest, that of old iPhones, and the largest.
private let mtus = [23, 185, 517]

/// What a record with a chunk of a file costs over GATT, both sides: sealed, cut into values, put together and opened.
func radioMeasures() -> [Measure] {
    let body = (0..<24 + FileWords.radioChunkLimit).map { UInt8(truncatingIfNeeded: $0) }
    let padded = Record.paddedCount(ofBody: body.count), batch = 100
    let key = [UInt8](repeating: 7, count: 32), text = [UInt8](repeating: 1, count: padded)
    return mtus.map { mtu in
        let link = ConfirmedLink.confirmed()
        var room = [UInt8](repeating: 0, count: padded + 16), opened = [UInt8](repeating: 0, count: padded)
        return Measure(
            name:
                "a record with \(FileWords.radioChunkLimit) bytes of a file over GATT with an MTU of \(mtu), both sides",
            unit: "records", batch: batch,
            contestants: [
                Contestant("InklingWire") {
                    var sum: UInt64 = 0
                    var assembler = FragmentReassembler()
                    for _ in 0..<batch {
                        for fragment in link.seal(body.span).gattFragments(mtu: mtu) {
                            guard let packet = try? assembler.append(fragment.span, at: 0) else { continue }
                            sum ^= UInt64(link.open(packet))
                        }
                    }
                    return sum
                },
                Contestant("libsodium, only ChaCha20-Poly1305 of \(padded) bytes, both sides", isEquivalent: false) {
                    var sum: UInt64 = 0
                    for _ in 0..<batch {
                        sum ^= peers_seal(key, text, padded, &room, 1, 0)
                        sum ^= peers_open(key, room, padded, &opened, 1)
                    }
                    return sum
                },
            ])
    }
}

/// How many bytes two nodes say on the air for each byte of what they deliver, over simulated GATT. Every value that is
/// written or notified counts with the three bytes that ATT puts in front.
func radioFigures() async -> [Figure] {
    var figures: [Figure] = []
    for mtu in mtus {
        do {
            let said = try await Simulation.run(seed: 1) { try await bytesSaid(in: $0, mtu: mtu) }
            let measure = "bytes on the air for each byte delivered, over GATT with an MTU of \(mtu)"
            for (what, value) in said {
                figures.append(
                    Figure(measure: measure, unit: "see each", contestant: what, value: .number(value)))
            }
        } catch {
            fail("nothing is delivered over GATT: \(error)")
        }
    }
    return figures
}

private func bytesSaid(in simulation: Simulation, mtu: Int) async throws -> [(String, Double)] {
    simulation.air.conditions.mtu = mtu
    let (ada, bob) = (try RadioNode("Ada", in: simulation), try RadioNode("Bob", in: simulation))
    simulation.network.partition([[ada.host], [bob.host]])
    await simulation.settle()
    try await ada.node.add(bob.node.ownCard())
    try await bob.node.add(ada.node.ownCard())
    for (one, other) in [(ada, bob), (bob, ada)] {
        for sealed in try await one.node.sealedGrants(for: other.user) {
            try await other.node.acceptSealedGrant(sealed)
        }
    }
    await bob.node.takeFiles(by: FileRule(limit: .max))
    try await simulation.wait(forSeconds: 3000) {
        let (one, other) = (await ada.node.status().sessions, await bob.node.status().sessions)
        return one == 1 && other == 1
    }
    await simulation.advance(bySeconds: 10)

    func said() -> Double {
        simulation.air.links.flatMap(\.exchanges).reduce(0) { $0 + ($1.fragment.map { Double($0.count + 3) } ?? 0) }
    }
    var result: [(String, Double)] = []
    for (what, length, count) in [("texts of 20 bytes", 20, 20), ("texts of 200 bytes", 200, 20)] {
        let before = said()
        for _ in 0..<count { try await ada.node.send(String(repeating: "x", count: length), to: bob.user) }
        await simulation.advance(bySeconds: 5)
        result.append((what, (said() - before) / Double(length * count)))
    }
    let size = 40_000
    ada.host.disk.put([UInt8](repeating: 1, count: size), at: "/file")
    let before = said()
    _ = try await ada.node.sendFile(at: "/file", to: bob.user)
    try await simulation.wait(forSeconds: 600) { bob.host.disk.kept.count == 1 }
    await simulation.advance(bySeconds: 2)
    result.append(("a file of \(size / 1000) KB", (said() - before) / Double(size)))
    return result
}

/// A simulated node with a radio.
private struct RadioNode {
    let node: Node
    let host: SimulatedHost
    let user: UserID

    init(_ name: String, in simulation: Simulation) throws {
        host = simulation.addHost(hasRadio: true)
        var generator = SystemRandomNumberGenerator()
        guard let now = Epoch(containing: host.clock.read().unixSeconds)?.period else { fail("no such period") }
        let contents = try NodeIdentity.makeContents(name: name, now: now, using: &generator)
        user = try ContactCard(parsing: contents.card.span, now: now).userID
        guard let node = Node(contents: contents, keeper: MemoryKeeper(contents), ports: host.ports) else {
            fail("no node")
        }
        self.node = node
        simulation.start(node)
    }
}

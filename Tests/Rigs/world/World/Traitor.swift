internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingSimulation
internal import InklingVault
internal import InklingWire

/// A contact that turns against its contacts: it has the keys of one, calls them, and says what no node says.
actor Traitor {
    /// How many manners of attack there are.
    static let manners = 9

    let user: UserID
    private let host: SimulatedHost
    /// Keeps the keys; it is visible to nobody and calls nobody.
    private let resting: Node
    private let keeper: MemoryKeeper
    private let deviceKey: SecretBox<NoiseKeyPair>
    private var generator: SimulationGenerator
    private var textCount: UInt64 = 0
    /// How many sessions it had, and how many records it said in them.
    private(set) var sessions = 0
    private(set) var records = 0

    nonisolated var place: SimulatedHost { host }

    init(in simulation: Simulation, seed: UInt64) throws {
        host = simulation.addHost()
        generator = SimulationGenerator(seed: seed)
        guard let now = Epoch(containing: host.clock.read().unixSeconds)?.period else { throw WorldError.noClock }
        let contents = try NodeIdentity.makeContents(name: "Traitor", now: now, using: &generator)
        user = try ContactCard(parsing: contents.card.span, now: now).userID
        keeper = MemoryKeeper(contents)
        guard let pair = NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate()),
            let node = Node(contents: contents, keeper: keeper, ports: host.ports(run: 1), isVisible: false)
        else { throw WorldError.noNode }
        deviceKey = SecretBox(pair)
        resting = node
    }

    /// Starts the node that keeps the keys.
    func begin(in simulation: Simulation) async {
        simulation.start(resting)
        await resting.started()
    }

    /// Becomes a contact of somebody by cards and sealed grants.
    func befriend(_ node: Node) async throws {
        _ = try await resting.add(node.ownCard())
        _ = try await node.add(resting.ownCard())
        for sealed in try await resting.sealedGrants(for: node.ownCard().userID) {
            _ = try await node.acceptSealedGrant(sealed)
        }
        await takeGrants(of: node)
    }

    /// Takes the grants of the present generation.
    private func takeGrants(of node: Node) async {
        guard let sealed = try? await node.sealedGrants(for: user) else { return }
        for one in sealed { _ = try? await resting.acceptSealedGrant(one) }
    }

    /// Calls a contact where it was announced, and says something hostile if it answers.
    func betray(_ node: Node, _ victim: UserID, at announcement: Watch.Announcement, manner: Int) async {
        await takeGrants(of: node)
        let contents = await keeper.contents
        let time = host.clock.read()
        guard let epoch = Epoch(containing: time.unixSeconds),
            let contact = contents.contacts.first(where: { $0.user == victim }), let grant = contact.grants.last,
            let card = try? ContactCard(parsing: contact.card.span, now: epoch.period),
            let key = card.certificates.first(where: \.isPrimary),
            let leaf = grant.tree.value.periodKey(epoch.period),
            let call = try? ConfirmInitiator(
                ConfirmContext(leaf.deviceKeys(key.index), device: key.index, epoch: epoch, transport: .tcp),
                deviceKey: deviceKey.value, responder: key.key,
                payload: ConfirmPayload(transports: .tcp, generation: 0, unixMilliseconds: time.unixMilliseconds),
                using: &generator)
        else { return }
        let endpoint = Endpoint(address: announcement.address, port: announcement.instance.port)
        guard let link = try? await host.links.connect(to: endpoint, within: .seconds(5)) else { return }
        do {
            try await link.send(Self.wire(call.packet))
            let answer = try await link.receive(upTo: 65_535, within: .seconds(6))
            var used = 0
            var session = try call.receive(
                Packet(parsing: answer.span), pairwiseKeys: contact.pairwiseKeys.map(\.key), opened: &used)
            sessions += 1
            for record in plot(manner, of: contents) {
                records += 1
                let record = try Record(record.type, body: SecretBytes(copying: record.body.span))
                var packet = Self.wire(try session.seal(record))
                if manner == 8, records % 5 == 0, let last = packet.indices.last { packet[last] ^= 1 }
                try await link.send(packet)
            }
            _ = try await link.receive(upTo: 65_535, within: .seconds(3))
        } catch {}
        await link.close()
    }

    private struct Said {
        let type: RecordType
        let body: [UInt8]

        init(_ type: RecordType, _ body: [UInt8]) { (self.type, self.body) = (type, body) }
        init(_ record: borrowing Record) {
            type = record.type
            body = record.withBody { body in body.indices.map { body[$0] } }
        }
    }

    private func noise(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// What is said, after a HELLO as it should be.
    private func plot(_ manner: Int, of contents: VaultContents) -> [Said] {
        var said: [Said] = []
        if let hello = try? Hello(ownSerial: contents.cardSerial, peerSerial: 0, grants: []) {
            said.append(Said(hello.record))
        }
        let stream = StreamID(rawValue: generator.next() | 1)
        func text(_ number: UInt64) -> Said? {
            textCount += 1
            guard let id = TextID(rawValue: Octets16(high: 0x7472_6169, low: textCount)),
                let message = try? SyncMessage(number: number, id: id, writtenAt: 0, text: "evil \(textCount)")
            else { return nil }
            return Said(message.record)
        }
        func announce(_ first: UInt64) {
            if let stream, let record = try? SyncStream(stream: stream, first: first).record {
                said.append(Said(record))
            }
        }
        switch manner {
        case 0:
            // Numbers that leave gaps, come twice, go back, and use up what there is.
            announce(1)
            said += [1, 2, 2, 900, 3, 1, UInt64.max >> 1, 4, (UInt64.max >> 1) - 1, 5].compactMap(text)
            announce(UInt64.max >> 1)
            said += [UInt64.max >> 1, 6].compactMap(text)
        case 1:
            // Receipts for what was never sent.
            for _ in 0..<20 {
                let last = StreamID(rawValue: generator.next() | 1).flatMap { stream in
                    TextID(rawValue: Octets16(high: generator.next(), low: 1)).flatMap { id in
                        SyncReceipt.Last(stream: stream, number: generator.next() >> 1, id: id)
                    }
                }
                if let record = try? SyncReceipt(last: last, room: 64).record { said.append(Said(record)) }
            }
        case 2:
            // The state that only the primary device of the same user may send.
            if let audience = contents.audiences.first,
                let own = try? OwnState.audience(audience.id, generation: .max, tree: audience.tree).record()
            {
                said.append(Said(own))
            }
            for tag in UInt8(1)...9 { said.append(Said(.state, [tag] + noise(160))) }
            for state in [OwnState.mark(7), .more, .mark(0)] {
                if let record = try? state.record() { said.append(Said(record)) }
            }
        case 3:
            // Files that are too large, that nobody has granted, and too many of them.
            for number in 0..<300 {
                let id = TransferID(Octets16(high: 0x6576_696c, low: UInt64(number)))
                let size: UInt64 = number % 3 == 0 ? FileWords.sizeLimit : 100 + UInt64(number)
                said += [.offer(id, size: size), .chunk(id, offset: UInt64(number) * 7, noise(64))].map(Self.said)
                if number % 7 == 0 {
                    let digest = Octets32(first: id.octets, second: id.octets)
                    said += [.end(id, digest: digest), .done(id), .taken(id, offset: size)].map(Self.said)
                    said.append(
                        Self.said(.grant(id, FileGrant(offset: size, window: FileWords.windowLimit, digest: digest))))
                }
            }
        case 4:
            // A flood of objects that cost a signature each, and of HELLOs.
            for number in 0..<200 {
                said.append(Said(number % 2 == 0 ? .card : .grant, noise(600)))
                if number % 10 == 0, let hello = said.first { said.append(hello) }
            }
        case 5:
            for type in UInt8(0)...0x20 { said.append(Said(RecordType(rawValue: type), noise(24))) }
        case 6:
            // A flood of texts beyond the room that a receipt names.
            announce(1)
            said += (1...300).compactMap { text($0) }
        case 7:
            for _ in 0..<100 {
                let type = RecordType(rawValue: UInt8.random(in: 0...0x20, using: &generator))
                said.append(Said(type, noise(Int.random(in: 0...3000, using: &generator))))
            }
        default:
            announce(1)
            said += (1...20).compactMap { text($0) }
        }
        return said
    }

    private static func said(_ words: FileWords) -> Said { Said(words.record) }

    private static func wire(_ packet: Packet) -> [UInt8] {
        var bytes: [UInt8] = []
        packet.append(to: &bytes)
        return bytes
    }
}

import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

/// A confirmed session in which the test acts as the initiator, so that it can send what no node sends.
///
/// The initiator is a person whose own node is stopped; the keys are those in that person's keeper.
final class SpokenSession {
    /// A received record.
    struct Heard: Hashable {
        let type: RecordType
        let body: [UInt8]
    }

    private let link: any Link
    private var channel: EstablishedSession

    init(_ channel: consuming EstablishedSession, over link: any Link) {
        self.channel = channel
        self.link = link
    }

    /// Runs a handshake with the current node of a person; returns nil when the node stays silent.
    static func call(_ callee: Person, as caller: Person, seed: UInt64) async throws -> SpokenSession? {
        let contents = await caller.keeper.contents
        let now = try #require(Epoch(containing: callee.host.clock.read().unixSeconds))
        let contact = try #require(contents.contacts.first { $0.user == callee.user })
        let key = try #require(ContactCard(parsing: contact.card.span, now: now.period).certificates.first).key
        let leaf = try unwrap(#require(contact.grants.first).tree.value.periodKey(now.period))
        var randomness = SeededGenerator(seed: seed)
        let initiator = try ConfirmInitiator(
            ConfirmContext(leaf.deviceKeys(.first), device: .first, epoch: now, transport: .tcp),
            deviceKey: unwrap(NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate())), responder: key,
            payload: ConfirmPayload(transports: .tcp, generation: 0, unixMilliseconds: 0), using: &randomness)
        let link = try await caller.host.links.connect(to: announced(by: callee), within: .seconds(3))
        try await link.send(Self.wire(initiator.packet))
        let answer: [UInt8]
        do { answer = try await link.receive(upTo: 65_535, within: .seconds(60)) } catch { return nil }
        var index = 0
        let keys = contact.pairwiseKeys.map(\.key)
        return SpokenSession(
            try initiator.receive(Packet(parsing: answer.span), pairwiseKeys: keys, opened: &index), over: link)
    }

    /// Runs a handshake, and sends a HELLO that reports no card and no grants.
    static func begin(with callee: Person, as caller: Person, seed: UInt64) async throws -> SpokenSession {
        let session = try #require(try await call(callee, as: caller, seed: seed))
        try await session.say(Hello(ownSerial: 1, peerSerial: 0, grants: []).record)
        return session
    }

    /// Returns the endpoint that a person has announced last.
    private static func announced(by person: Person) throws -> Endpoint {
        let ports = person.simulation.network.sightings(from: person.host).compactMap { sighting -> UInt16? in
            if case .announcement(let instance) = sighting.kind { instance.port } else { nil }
        }
        return Endpoint(address: person.host.address, port: try #require(ports.last))
    }

    private static func wire(_ packet: Packet) -> [UInt8] {
        var bytes: [UInt8] = []
        packet.append(to: &bytes)
        return bytes
    }

    func say(_ record: borrowing Record) async throws {
        let packet = Self.wire(try channel.seal(record))
        try await link.send(packet)
    }

    /// Sends a record of any type and body.
    func say(_ type: UInt8, _ body: [UInt8] = []) async throws {
        try await say(Record(RecordType(rawValue: type), body: SecretBytes(copying: body.span)))
    }

    /// Sends a record with one byte of the ciphertext changed.
    func sayDamaged(_ record: borrowing Record) async throws {
        var packet = Self.wire(try channel.seal(record))
        packet[packet.count - 1] ^= 1
        try await link.send(packet)
    }

    /// The context of a handshake over a link that the node has offered in this session.
    func offeredContext(_ number: TransportOffer.Number, in epoch: Epoch) -> ConfirmContext {
        channel.exporter.offeredContext(number, over: .tcp, in: epoch, of: .first)
    }

    /// Sends bytes as one packet.
    func send(_ packet: [UInt8]) async throws { try await link.send(packet) }

    /// Returns the next record, or nil when the link has ended or nothing arrives within a second. The receipt with which
    /// every session begins, and which names nothing, is left out.
    func next() async throws -> Heard? {
        while true {
            let packet: [UInt8]
            do { packet = try await link.receive(upTo: 65_535, within: .seconds(1)) } catch { return nil }
            let record = try channel.open(Packet(parsing: packet.span))
            let heard = Heard(type: record.type, body: record.withBody { body in body.indices.map { body[$0] } })
            let isFirst = heard.type == .receipt && heard.body.prefix(32).allSatisfy { $0 == 0 }
            if !isFirst { return heard }
        }
    }

    /// Returns all records that arrive until none arrives for a second.
    func rest() async throws -> [Heard] {
        var heard: [Heard] = []
        while let record = try await next() { heard.append(record) }
        return heard
    }

    /// Returns whether the node has closed the link without sending anything more.
    func hasEnded() async -> Bool {
        do {
            _ = try await link.receive(upTo: 65_535, within: .seconds(1))
            return false
        } catch {
            return error == .closed
        }
    }

    func leave() async { await link.close() }
}

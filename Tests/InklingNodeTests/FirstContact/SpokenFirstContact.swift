import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

extension SpokenSession {
    /// Joins an invitation with the keys of a person whose own node is stopped, up to message 3; the test then sends
    /// what it wants to.
    static func join(
        _ invitation: Invitation, of inviter: Person, port: UInt16, as joiner: Person, card: ContactCard? = nil,
        seed: UInt64 = 1
    ) async throws -> SpokenSession {
        let contents = await joiner.keeper.contents
        var randomness = SeededGenerator(seed: seed)
        let first = try Joiner(
            invitation, for: .firstContact(card ?? joiner.firstCard), transport: .tcp,
            deviceKey: unwrap(NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate())), using: &randomness)
        let endpoint = Endpoint(address: inviter.host.address, port: port)
        let link = try await joiner.host.links.connect(to: endpoint, within: .seconds(3))
        try await link.send(wire(first.packet))
        let second = try await link.receive(upTo: 65_535, within: .seconds(10))
        let now = try #require(Epoch(containing: inviter.host.clock.read().unixSeconds)).period
        let joined = try first.receive(Packet(parsing: second.span), now: now, unixMilliseconds: 0)
        try await link.send(wire(joined.packet))
        return SpokenSession(try joined.awaitingAcceptance(), over: link)
    }

    func accept() async throws { try await say(RecordType.accept.rawValue) }

    /// Sends HELLO, with the grant in a record if there is one.
    func hello(naming grant: Heard? = nil, of issuer: Person, to grantee: Person) async throws {
        var held: [Hello.GrantReport] = []
        if let grant {
            let read = try await parsed(grant, of: issuer, to: grantee)
            held = [Hello.GrantReport(audience: read.audience, generation: read.generation, to: read.to)]
        }
        try await say(Hello(ownSerial: 1, peerSerial: 1, grants: held).record)
    }

    /// Sends the grant that a person could give.
    func grant(of issuer: Person, to grantee: Person) async throws {
        let contents = await issuer.keeper.contents
        let audience = try #require(contents.audiences.first)
        let seed = try #require(contents.rootSeed)
        let now = try #require(Epoch(containing: issuer.host.clock.read().unixSeconds)).period
        let grant = try Grant(
            issuer: seed.value.identityKey(generation: 1), audience: audience.id, generation: audience.generation,
            of: audience.tree.value, from: now, to: try #require(Period(now.number + 30)),
            certificates: issuer.firstCard.certificates, grantee: grantee.user)
        try await say(Record(.grant, body: grant.signed(by: seed.value.identityKey(generation: 1))))
    }

    /// Reads a grant that has arrived.
    func parsed(_ heard: Heard, of issuer: Person, to grantee: Person) async throws -> Grant {
        let card = try await issuer.node.ownCard()
        let now = try #require(Epoch(containing: issuer.host.clock.read().unixSeconds)).period
        return try Grant(
            parsing: heard.body.span, issuer: card.identity, grantee: grantee.user, now: now, heldGeneration: 0)
    }
}

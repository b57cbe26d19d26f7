import InklingEngine
import InklingKeys
import InklingNode
import InklingSimulation
import InklingTesting
import InklingVault
import InklingWire
import Testing

/// Creates a joiner's first message.
func firstMessage(for invitation: Invitation, from person: Person, seed: UInt64) throws -> [UInt8] {
    var randomness = SeededGenerator(seed: seed)
    let joiner = try Joiner(
        invitation, for: .firstContact(person.firstCard), transport: .tcp, deviceKey: NoiseKeyPair(from: &randomness),
        using: &randomness)
    return wire(joiner.packet)
}

/// Encodes a packet.
func wire(_ packet: Packet) -> [UInt8] {
    var bytes: [UInt8] = []
    packet.append(to: &bytes)
    return bytes
}

/// Derives the context in which `caller` calls the device of `callee` in an epoch, from the grant that it holds.
func context(of callee: Person, in epoch: Epoch, heldBy caller: Person) async throws -> ConfirmContext {
    let contact = try #require(await caller.keeper.contents.contacts.first { $0.user == callee.user })
    let grant = try #require(contact.grants.first)
    let leaf = try unwrap(grant.tree.value.periodKey(epoch.period))
    return ConfirmContext(leaf.deviceKeys(.first), device: .first, epoch: epoch, transport: .tcp)
}

/// Creates a valid first message of a contact for any epoch.
func confirmMessage(
    to callee: Person, in epoch: Epoch, from caller: Person, seed: UInt64
) async throws -> [UInt8] {
    try await confirmMessage(
        to: callee, under: context(of: callee, in: epoch, heldBy: caller), from: caller, seed: seed)
}

/// Creates a valid first message of a contact in a context.
func confirmMessage(
    to callee: Person, under context: ConfirmContext, from caller: Person, seed: UInt64
) async throws -> [UInt8] {
    let contents = await caller.keeper.contents
    var randomness = SeededGenerator(seed: seed)
    let initiator = try ConfirmInitiator(
        context, deviceKey: try unwrap(NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate())),
        responder: try #require(callee.firstCard.certificates.first).key,
        payload: ConfirmPayload(transports: .tcp, generation: 1, unixMilliseconds: 0), using: &randomness)
    return wire(initiator.packet)
}

/// Creates a grant that a person has signed, with any terms, sealed for another person.
func sealedGrant(
    from issuer: Person, to reader: Person, grantee: UserID? = nil, generation: UInt32? = nil, periods: UInt32 = 24,
    startingIn offset: UInt32 = 0
) async throws -> [UInt8] {
    let contents = await issuer.keeper.contents
    let audience = try #require(contents.audiences.first)
    let seed = try #require(contents.rootSeed)
    let contact = try #require(contents.contacts.first { $0.user == reader.user })
    let now = try #require(Epoch(containing: issuer.host.clock.read().unixSeconds)).period
    let from = try #require(Period(now.number + offset))
    let grant = try Grant(
        issuer: seed.value.identityKey(generation: 1), audience: audience.id,
        generation: generation ?? audience.generation, of: audience.tree.value, from: from,
        to: try #require(Period(from.number + periods - 1)), certificates: issuer.firstCard.certificates,
        grantee: grantee ?? reader.user)
    let bytes = grant.signed(by: seed.value.identityKey(generation: 1))
    var randomness = SeededGenerator(seed: 77)
    return try bytes.withBytes { bytes in
        try SealedGrant.seal(
            bytes, deviceKey: unwrap(NoiseKeyPair(privateKey: contents.noiseKey.value.duplicate())),
            recipient: #require(reader.firstCard.certificates.first).key,
            pairwiseKey: #require(contact.pairwiseKeys.last).key.value,
            ephemeral: NoiseKeyPair(from: &randomness))
    }
}

internal import InklingKeys

@testable internal import InklingWire

extension Operation {
    static let sessionOperations = [
        Operation("a gate, right and wrong") {
            let message = [UInt8](repeating: 7, count: Gate.messageByteCount)
            let body = Gate.body(key: poisoned(1), transport: .tcp, message: message)
            try expect(Gate.opens(body.span, key: poisoned(1), transport: .tcp))
            try expect(!Gate.opens(body.span, key: poisoned(2), transport: .tcp))
        },
        Operation("a confirm handshake between contacts, and records in both directions") {
            var draws = PoisonedGenerator()
            let context = try confirmContext()
            let caller = try NoiseKeyPair(privateKey: poisoned(11)).orThrow()
            let called = try NoiseKeyPair(privateKey: poisoned(12)).orThrow()
            let payload = ConfirmPayload(transports: .tcp, generation: 3, unixMilliseconds: 1_785_600_000_000)
            let initiator = try ConfirmInitiator(
                context, deviceKey: caller, responder: called.publicKey, payload: payload, using: &draws)
            var responder = ConfirmResponder()
            let request = try responder.receive(
                initiator.packet, contexts: [context], deviceKey: called, at: 0, using: &draws,
                pairwiseKey: { _ in poisoned(30) })
            let unconfirmed = try request.reply(payload)
            var left = try initiator.receive(unconfirmed.packet, pairwiseKey: poisoned(30))
            let hello = try Hello(ownSerial: 1, peerSerial: 1, grants: [])
            var right = try unconfirmed.receive(try left.seal(hello.record))
            _ = try left.open(try right.seal(hello.record))
            for _ in 0..<2 {
                let keys = try Record(.grant, body: poisoned(40, count: 500))
                let received = try right.open(try left.seal(keys))
                try expect(received.withBody { $0.count } == 500)
            }
        },
        Operation("a confirm handshake without the pairwise key") {
            var draws = PoisonedGenerator()
            let context = try confirmContext()
            let caller = try NoiseKeyPair(privateKey: poisoned(11)).orThrow()
            let called = try NoiseKeyPair(privateKey: poisoned(12)).orThrow()
            let payload = ConfirmPayload(transports: .tcp, generation: 3, unixMilliseconds: 1_785_600_000_000)
            let initiator = try ConfirmInitiator(
                context, deviceKey: caller, responder: called.publicKey, payload: payload, using: &draws)
            var responder = ConfirmResponder()
            let request = try responder.receive(
                initiator.packet, contexts: [context], deviceKey: called, at: 0, using: &draws,
                pairwiseKey: { _ in poisoned(30) })
            let unconfirmed = try request.reply(payload)
            do {
                _ = try initiator.receive(unconfirmed.packet, pairwiseKey: poisoned(31))
                throw Unexpected()
            } catch is HandshakeError {}
        },
        Operation("a first contact with an invitation, up to the first record") {
            var draws = PoisonedGenerator()
            let hour = try Period(496_000).orThrow()
            let now: UInt64 = 1_785_600_000_000
            let inviterKey = try NoiseKeyPair(privateKey: poisoned(11)).orThrow()
            let joinerKey = try NoiseKeyPair(privateKey: poisoned(12)).orThrow()
            let inviterCard = try card(of: 50, device: inviterKey.publicKey, from: hour)
            let joinerCard = try card(of: 60, device: joinerKey.publicKey, from: hour)
            let invitation = Invitation(
                to: inviterCard, transports: .tcp, lasting: .seconds(600), from: now / 1000, using: &draws)
            var inviter = Inviter(invitation, for: .firstContact, ownCard: inviterCard)
            var budget = FirstMessageBudget.node
            let joiner = try Joiner(
                invitation, for: .firstContact(joinerCard), transport: .tcp, deviceKey: joinerKey, using: &draws)
            let pending = try inviter.receive(
                joiner.packet, transport: .tcp, deviceKey: inviterKey, budget: &budget, at: 0, unixMilliseconds: now,
                using: &draws)
            let unconfirmed = try joiner.receive(pending.packet, now: hour, unixMilliseconds: now)
            var left = try inviter.complete(pending, with: unconfirmed.packet, now: hour, unixMilliseconds: now)
            var right = try unconfirmed.awaitingAcceptance()
            _ = try right.open(left.seal(.accept))
            _ = try left.open(right.seal(.accept))
            _ = try right.open(left.seal(Hello(ownSerial: 1, peerSerial: 1, grants: []).record))
            try expect(left.exporter.pairwiseKey().equals(right.exporter.pairwiseKey()))
        },
        Operation("a sealed grant, opened and refused") {
            let issuer = try NoiseKeyPair(privateKey: poisoned(11)).orThrow()
            let reader = try NoiseKeyPair(privateKey: poisoned(12)).orThrow()
            let sealed = try poisoned(2, count: 400).withBytes { grant in
                try SealedGrant.seal(
                    grant, deviceKey: issuer, recipient: reader.publicKey, pairwiseKey: poisoned(3),
                    ephemeral: try NoiseKeyPair(privateKey: poisoned(13)).orThrow())
            }
            let opened = try SealedGrant.open(
                sealed.span, deviceKey: reader, sender: issuer.publicKey, pairwiseKey: poisoned(3))
            try expect(opened.count == 400)
            do {
                _ = try SealedGrant.open(
                    sealed.span, deviceKey: reader, sender: issuer.publicKey, pairwiseKey: poisoned(4))
                throw Unexpected()
            } catch is SealedGrantError {}
        },
    ]
}

/// A random number generator of whose output valgrind watches every bit, so keys are secret from the start.
private struct PoisonedGenerator: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var word = state
        withUnsafeMutablePointer(to: &word) { poison(word: $0) }
        return word
    }
}

private func confirmContext() throws -> ConfirmContext {
    let epoch = try Epoch(1_984_000).orThrow()
    return ConfirmContext(
        transport: .tcp, epoch: epoch, device: .first, identifier: Octets16(high: 1, low: 2),
        preSharedKey: poisoned(21), gateKey: poisoned(22))
}

private func card(of seed: UInt8, device: Octets32, from hour: Period) throws -> ContactCard {
    let identity = IdentityKey(seed: poisoned(seed))
    let presence = PresenceKey(poisoned(seed + 1))
    let certificate = try DeviceCertificate(
        index: .first, key: device, from: hour, to: hour, isPrimary: true, signedBy: identity)
    return try ContactCard(
        identity: identity, generation: 1, serial: 1, presence: presence.publicKey, certificates: [certificate],
        name: "Ada")
}

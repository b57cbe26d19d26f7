import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

private let now = exampleSeconds * 1000 + 5

/// An inviter with an open invitation, and a joiner that has read it.
private struct Meeting {
    let ada: Person
    let bo: Person
    let use: InvitationUse
    var inviter: Inviter
    var budget = FirstMessageBudget.node

    init(_ use: InvitationUse = .firstContact) throws {
        ada = try Person(0x41, name: "Ada")
        bo = try Person(0x42, name: "Bo")
        self.use = use
        var generator = SeededGenerator(seed: 1)
        let invitation = Invitation(
            to: ada.card, transports: .tcp, lasting: .seconds(600), from: exampleSeconds, using: &generator)
        inviter = Inviter(invitation, for: use, ownCard: ada.card)
    }

    func join(seed: UInt64 = 2, transport: Transport = .tcp, device: UInt8? = nil) throws -> Joiner {
        var generator = SeededGenerator(seed: seed)
        return try Joiner(
            inviter.invitation, for: use == .firstContact ? .firstContact(bo.card) : .deviceLink,
            transport: transport, deviceKey: keyPair(device ?? bo.device), using: &generator)
    }

    mutating func reply(
        _ packet: Packet, transport: Transport = .tcp, device: UInt8? = nil, at moment: UInt64 = now
    ) throws -> PendingJoiner {
        var generator = SeededGenerator(seed: 3)
        return try inviter.receive(
            packet, transport: transport, deviceKey: keyPair(device ?? ada.device), budget: &budget, at: 0,
            unixMilliseconds: moment, using: &generator)
    }

    /// Returns the reason a joiner's last message is refused; nil if it is accepted.
    mutating func refusalCompleting(
        _ pending: consuming PendingJoiner, with packet: Packet, at moment: UInt64 = now
    ) -> HandshakeError? {
        do throws(HandshakeError) {
            _ = try inviter.complete(
                pending, with: packet, now: Period(496_000) ?? .last, unixMilliseconds: moment)
            return nil
        } catch {
            return error
        }
    }
}

private func receive(_ packet: Packet, by joiner: consuming Joiner) throws -> UnauthenticatedSession {
    try joiner.receive(packet, now: examplePeriod(), unixMilliseconds: now + 1)
}

@Suite struct `First contact` {
    @Test func `exchanges cards and gives both sides the same pairwise key`() throws {
        var meeting = try Meeting()
        let joiner = try meeting.join()
        expectEqual(joiner.packet.type, .firstContactFirst)
        let pending = try meeting.reply(joiner.packet)
        expectEqual(pending.packet.type, .firstContactSecond)
        let unauthenticated = try receive(pending.packet, by: joiner)
        let third = unauthenticated.packet
        expectEqual(third.type, .firstContactThird)
        #expect(meeting.inviter.isOpen(at: now))

        var session = try meeting.inviter.complete(pending, with: third, now: examplePeriod(), unixMilliseconds: now)
        expectEqual(session.introduction, .card(meeting.bo.card, unixMilliseconds: now + 1))
        #expect(session.peerKey == (try keyPair(0x42).publicKey))
        #expect(!meeting.inviter.isOpen(at: now))

        var joined = try unauthenticated.awaitingAcceptance()
        #expect(ending { try session.seal(hello()) } == .acceptExpected)
        #expect(ending { try joined.seal(Record(.message)) } == .acceptExpected)
        try expectEqual(joined.open(session.seal(.accept)).type, .accept)
        #expect(ending { try joined.seal(hello()) } == .acceptExpected)
        try expectEqual(session.open(joined.seal(.accept)).type, .accept)
        expectEqual(session.awaitsAcceptance, false)
        expectEqual(joined.awaitsAcceptance, false)
        try expectEqual(joined.open(session.seal(hello())).type, .hello)
        expectEqual(joined.introduction, .card(meeting.ada.card, unixMilliseconds: now))
        #expect(joined.peerKey == (try keyPair(0x41).publicKey))
        expectEqual(digits(joined.exporter.pairwiseKey()), digits(session.exporter.pairwiseKey()))
        expectEqual(joined.exporter.fingerprint(), session.exporter.fingerprint())
        expectEqual(joined.exporter.fingerprint().count, 19)
    }

    /// Covers INK-HSK-051.
    @Test func `is refused at the gate without the secret or on another transport`() throws {
        var meeting = try Meeting()
        var stranger = try Meeting()
        var generator = SeededGenerator(seed: 9)
        stranger.inviter = Inviter(
            Invitation(
                to: meeting.ada.card, transports: .tcp, lasting: .seconds(600), from: exampleSeconds,
                using: &generator),
            for: .firstContact, ownCard: meeting.ada.card)
        let foreign = try stranger.join().packet
        #expect(refusal { try meeting.reply(foreign) } == .gateMismatch)
        let elsewhere = try meeting.join(transport: .nan).packet
        #expect(refusal { try meeting.reply(elsewhere) } == .gateMismatch)
        #expect(meeting.inviter.attempts.isEmpty)
    }

    /// Covers INK-CRD-025, INK-HSK-041.
    @Test func `refuses a card that does not match the commitment`() throws {
        var meeting = try Meeting()
        let other = try Person(0x43, name: "Eve")
        meeting.inviter = Inviter(meeting.inviter.invitation, for: .firstContact, ownCard: other.card)
        let joiner = try meeting.join()
        let pending = try meeting.reply(joiner.packet, device: 0x43)
        let reply = pending.packet
        #expect(refusal { try receive(reply, by: meeting.join()) } == .commitmentMismatch)
    }

    /// Covers INK-CRD-024, INK-HSK-040.
    @Test func `refuses a card without a certificate for the static key of the handshake`() throws {
        var meeting = try Meeting()
        let impostor = try meeting.reply(meeting.join().packet, device: 0x44).packet
        #expect(refusal { try receive(impostor, by: meeting.join()) } == .uncertifiedKey)

        let other = try meeting.join(seed: 5, device: 0x44)
        let pending = try meeting.reply(other.packet)
        let third = try receive(pending.packet, by: other).packet
        expectEqual(meeting.refusalCompleting(pending, with: third), .uncertifiedKey)
        #expect(!meeting.inviter.isOpen(at: now))
    }

    /// Covers INK-CRD-020.
    @Test func `refuses a card whose certificates are not valid now`() throws {
        var meeting = try Meeting()
        let reply = try meeting.reply(meeting.join().packet).packet
        let later = try #require(Period(496_001))
        #expect(
            refusal { try meeting.join().receive(reply, now: later, unixMilliseconds: now) }?.stage == "certificates")
    }

    @Test func `ends if any byte of message 2 or 3 is changed`() throws {
        var meeting = try Meeting()
        let joiner = try meeting.join()
        let first = joiner.packet
        let pending = try meeting.reply(first)
        let second = pending.packet
        for index in second.body.indices {
            let broken = try changed(second, at: index)
            #expect(refusal { try receive(broken, by: meeting.join()) }?.reason == "decryption-failed")
        }
        let third = try receive(second, by: joiner).packet
        for index in third.body.indices {
            let broken = try changed(third, at: index)
            var again = try Meeting()
            let waiting = try again.reply(first)
            expectEqual(
                again.refusalCompleting(waiting, with: broken)?
                    .reason, "decryption-failed")
            #expect(again.inviter.isOpen(at: now))
        }
    }

    /// Covers INK-HSK-051.
    @Test func `ignores a replayed first message and does not count it as an attempt`() throws {
        var meeting = try Meeting()
        let packet = try meeting.join().packet
        _ = try meeting.reply(packet)
        for _ in 0..<20 { #expect(refusal { try meeting.reply(packet) } == .replayed) }
        expectEqual(meeting.inviter.attempts.count, 1)
        #expect(meeting.inviter.isOpen(at: now))
    }

    /// Covers INK-INV-004.
    @Test func `ends the invitation after eight joiners without success, even across a restart`() throws {
        var meeting = try Meeting()
        for seed in UInt64(10)..<18 {
            #expect(meeting.inviter.isOpen(at: now))
            _ = try meeting.reply(meeting.join(seed: seed).packet)
            meeting.inviter = Inviter(
                meeting.inviter.invitation, for: .firstContact, ownCard: meeting.ada.card,
                attempts: meeting.inviter.attempts)
        }
        #expect(!meeting.inviter.isOpen(at: now))
        let ninth = try meeting.join(seed: 18).packet
        #expect(refusal { try meeting.reply(ninth) } == .invitationSpent)
    }

    /// Covers INK-INV-004.
    @Test func `is refused after the expiry, before and during a handshake`() throws {
        var meeting = try Meeting()
        let end = UInt64(meeting.inviter.invitation.expiryMinute) * 60_000
        let joiner = try meeting.join()
        #expect(meeting.inviter.isOpen(at: end - 1))
        let late = joiner.packet
        #expect(refusal { try meeting.reply(late, at: end) } == .invitationExpired)
        let pending = try meeting.reply(joiner.packet, at: end - 1)
        let third = try receive(pending.packet, by: joiner).packet
        expectEqual(meeting.refusalCompleting(pending, with: third, at: end), .invitationExpired)
    }

    /// Covers INK-INV-004.
    @Test func `accepts only the first of two joiners`() throws {
        var meeting = try Meeting()
        let first = try meeting.join(seed: 20)
        let second = try meeting.join(seed: 21)
        let pendingFirst = try meeting.reply(first.packet)
        let pendingSecond = try meeting.reply(second.packet)
        let thirdOfSecond = try receive(pendingSecond.packet, by: second).packet
        let thirdOfFirst = try receive(pendingFirst.packet, by: first).packet
        let session = try meeting.inviter.complete(
            pendingSecond, with: thirdOfSecond, now: examplePeriod(), unixMilliseconds: now)
        expectEqual(session.role, .responder)
        expectEqual(meeting.refusalCompleting(pendingFirst, with: thirdOfFirst), .invitationSpent)
    }

    /// Covers INK-HSK-051.
    @Test func `uses the budget of the node`() throws {
        var meeting = try Meeting()
        while meeting.budget.spend(at: 0) {}
        let packet = try meeting.join().packet
        #expect(refusal { try meeting.reply(packet) } == .overBudget)
    }

    /// Covers INK-HSK-049.
    @Test func `ignores the content of a payload of zeros`() throws {
        for (number, content) in ([0x00, 0x5a, 0xff] as [UInt8]).enumerated() {
            var meeting = try Meeting()
            let exchange = InvitationExchange(meeting.inviter.invitation, .firstContact, .tcp)
            var generator = SeededGenerator(seed: UInt64(30 + number))
            var message: [UInt8] = []
            _ = try exchange.handshake(
                .initiator, deviceKey: keyPair(meeting.bo.device), ephemeral: NoiseKeyPair(from: &generator)
            ).write(
                message: 1, [UInt8](repeating: content, count: 64), appendingTo: &message,
                presharedKeys: exchange.presharedKey)
            let body = Gate.body(key: exchange.keys.value.gateKey, transport: .tcp, message: message)
            let reply = try meeting.reply(Packet(.firstContactFirst, body: body)).packet
            expectEqual(reply.type, .firstContactSecond)
        }
    }

    @Test func `cannot be used for a device link, nor the reverse`() throws {
        var meeting = try Meeting()
        let link = try Packet(.deviceLinkFirst, body: meeting.join().packet.body)
        #expect(refusal { try meeting.reply(link) } == .unexpectedPacket)
        var linking = try Meeting(.deviceLink)
        let contact = try Packet(.deviceLinkFirst, body: meeting.join().packet.body)
        #expect(refusal { try linking.reply(contact) } == .noise(message: 1, .decryptionFailed(.payload)))
    }
}

@Suite struct `A device link` {
    @Test func `gives the new device the card of the primary, and the primary the key of the new device`() throws {
        var meeting = try Meeting(.deviceLink)
        let joiner = try meeting.join(device: 0x55)
        expectEqual(joiner.packet.type, .deviceLinkFirst)
        let pending = try meeting.reply(joiner.packet)
        let unauthenticated = try receive(pending.packet, by: joiner)
        let third = unauthenticated.packet
        expectEqual(third.type, .deviceLinkThird)
        expectEqual(third.body.count, 128)
        var primary = try meeting.inviter.complete(pending, with: third, now: examplePeriod(), unixMilliseconds: now)
        expectEqual(primary.introduction, .newDevice)
        #expect(primary.peerKey == (try keyPair(0x55).publicKey))
        let device = try unauthenticated.receive(primary.seal(hello()))
        expectEqual(device.introduction, .card(meeting.ada.card, unixMilliseconds: now))
        expectEqual(digits(device.exporter.pairwiseKey()), digits(primary.exporter.pairwiseKey()))
    }
}

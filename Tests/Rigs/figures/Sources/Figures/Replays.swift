import InklingKeys

@testable import InklingWire

/// Every message of many handshakes and sessions, given to every party at every step. Each is accepted in one place: by the
/// party and in the step for which it was written.
struct Replays {
    /// A party of one session that waits for one message.
    private struct Place {
        let name: String
        /// The message that belongs here.
        let packet: Packet
        /// Whether the party accepts a packet. Each call begins with the same state.
        let accepts: (Packet) -> Bool
        /// Whether the party accepts the message that belongs here a second time; nil where it cannot receive twice.
        var acceptsAgain: (() -> Bool)?
    }

    /// The memory of the parties of a device; filled when all sessions exist.
    private final class Memory {
        var first: [ReplayCache.Entry] = []
        var joiners: [ObjectIdentifier: [Octets32]] = [:]
    }

    private let device: SecretBox<NoiseKeyPair>
    private let callers: [SecretBox<NoiseKeyPair>]
    private let payload = ConfirmPayload(transports: .tcp, generation: 3, unixMilliseconds: Scene.milliseconds)
    private let remembers: Bool
    private let memory = Memory()
    private var places: [Place] = []
    private var draws: Draws

    /// `sessions`: the confirm handshakes for each transport and epoch, and those of each invitation.
    /// `remembers`: false plants a fault: no party remembers the first messages of other sessions.
    init(
        sessions: Int, transports: [Transport] = Transport.allCases, seed: UInt64, remembers: Bool = true
    ) throws {
        draws = Draws(seed)
        device = try Scene.key(2)
        callers = try [Scene.key(3), Scene.key(5)]
        self.remembers = remembers
        for transport in transports {
            for quarter in UInt32(0)..<4 {
                for number in 0..<sessions { try addConfirm(transport, quarter, number) }
            }
            for use in [InvitationUse.firstContact, .deviceLink] {
                try addInvitation(use, transport, joiners: min(sessions, Invitation.attemptLimit))
            }
        }
    }

    /// Gives each message to each place.
    func run() -> Account {
        var account = Account()
        for (index, place) in places.enumerated() {
            let kind = "to " + String(place.name.prefix { $0 != "," })
            account.control(kind, isAccepted: place.accepts(place.packet))
            for (other, source) in places.enumerated() where other != index {
                account.attempt(kind, isAccepted: place.accepts(source.packet), "\(place.name) accepts \(source.name)")
            }
            if let again = place.acceptsAgain {
                account.attempt(kind, isAccepted: again(), "\(place.name) accepts its message again")
            }
        }
        return account
    }

    // MARK: Confirm

    private mutating func addConfirm(_ transport: Transport, _ quarter: UInt32, _ number: Int) throws {
        let shown = try Scene.context(quarter: quarter, transport: transport)
        let contexts = try [shown] + (quarter > 0 ? [Scene.context(quarter: quarter - 1, transport: transport)] : [])
        let caller = callers[number % callers.count]
        let (seed, answerSeed) = (draws.next(), draws.next())
        let (device, payload, memory, remembers) = (device, payload, memory, remembers)
        let known = callers.map { $0.value.publicKey }
        let title = "\(transport) epoch \(quarter) session \(number)"

        func initiator() throws -> ConfirmInitiator {
            var generator = Draws(seed)
            return try ConfirmInitiator(
                shown, deviceKey: caller.value, responder: device.value.publicKey, payload: payload, using: &generator)
        }
        func receive(_ packet: Packet, _ responder: inout ConfirmResponder) throws -> ConfirmRequest {
            var generator = Draws(answerSeed)
            return try responder.receive(
                packet, contexts: contexts, deviceKey: device.value, at: 0, using: &generator
            ) { known.contains($0) ? Scene.secret(9) : nil }
        }

        let first = try initiator().packet
        var responder = ConfirmResponder()
        let request = try receive(first, &responder)
        let entry = request.entry
        memory.first.append(entry)
        let second = try request.reply(payload).packet
        func others() -> ConfirmResponder {
            ConfirmResponder(restoring: remembers ? memory.first.filter { $0 != entry } : [])
        }
        // Built when first asked for, after all sessions exist.
        let base = Lazily { others() }

        places.append(
            Place(name: "a responder, \(title)", packet: first) { packet in
                var responder = base.value
                do {
                    _ = try receive(packet, &responder)
                    return true
                } catch { return false }
            } acceptsAgain: {
                var responder = base.value
                do {
                    _ = try receive(first, &responder)
                    _ = try receive(first, &responder)
                    return true
                } catch { return false }
            })
        places.append(
            Place(name: "an initiator, \(title)", packet: second) { packet in
                do {
                    _ = try initiator().receive(packet, pairwiseKey: Scene.secret(9))
                    return true
                } catch { return false }
            })
        let keys = try confirmKeys(
            shown, caller: caller, seed: seed, answerSeed: answerSeed, first: first, second: second)
        try addRecords(keys, title)
    }

    /// The keys of a session, computed by the parts of the handshake, because a session does not show them.
    private func confirmKeys(
        _ context: ConfirmContext, caller: SecretBox<NoiseKeyPair>, seed: UInt64, answerSeed: UInt64, first: Packet,
        second: Packet
    ) throws -> SecretBox<TransportKeys> {
        var generator = Draws(seed)
        let start = try context.handshake(
            .initiator, deviceKey: caller.value, responder: device.value.publicKey,
            ephemeral: NoiseKeyPair(from: &generator))
        var message: [UInt8] = []
        let sent = try start.write(
            message: 1, payload.encoded(for: .first), appendingTo: &message,
            presharedKeys: { _, _ in context.preSharedKey.value.duplicate() })
        guard message == Array(first.body.dropFirst(Gate.byteCount)) else { throw RigFault(step: "message 1") }
        var received = SecretBytes(count: 0) { _ in }
        let complete = try sent.read(
            message: 2, second.body.span, into: &received, presharedKeys: { _, _ in Scene.secret(9) })
        return SecretBox(try complete.finish(afterMessage: 2))
    }

    // MARK: Invitations

    private mutating func addInvitation(_ use: InvitationUse, _ transport: Transport, joiners: Int) throws {
        let card = try Scene.card(0x41, device: device.value.publicKey, name: "Ada")
        let invitation = Invitation(
            to: card, transports: .known, lasting: .seconds(600), from: Scene.unixSeconds, using: &draws)
        for number in 0..<joiners { try addJoiner(invitation, use, transport, card, number) }
    }

    private mutating func addJoiner(
        _ invitation: Invitation, _ use: InvitationUse, _ transport: Transport, _ card: ContactCard, _ number: Int
    ) throws {
        let caller = callers[number % callers.count]
        let (seed, answerSeed) = (draws.next(), draws.next())
        let (device, memory, remembers) = (device, memory, remembers)
        let own = try Scene.card(0x42, device: caller.value.publicKey, name: "Bo")
        let period = try Scene.period()
        let title = "\(use) \(transport) joiner \(number)"

        func join() throws -> Joiner {
            var generator = Draws(seed)
            return try Joiner(
                invitation, for: use == .firstContact ? .firstContact(own) : .deviceLink, transport: transport,
                deviceKey: caller.value, using: &generator)
        }
        func receive(_ packet: Packet, _ inviter: inout Inviter) throws -> PendingJoiner {
            var generator = Draws(answerSeed)
            var budget = FirstMessageBudget.node
            return try inviter.receive(
                packet, transport: transport, deviceKey: device.value, budget: &budget, at: 0,
                unixMilliseconds: Scene.milliseconds, using: &generator)
        }

        let joiner = try join()
        let first = joiner.packet
        let ephemeral = try need(
            Octets32(first.body.span.extracting(Gate.byteCount..<Gate.byteCount + 32)), "ephemeral key")
        let identity = ObjectIdentifier(invitation.secret)
        memory.joiners[identity, default: []].append(ephemeral)
        let base = Lazily {
            let attempts = remembers ? memory.joiners[identity, default: []].filter { $0 != ephemeral } : []
            return Inviter(invitation, for: use, ownCard: card, attempts: attempts)
        }
        var inviter = Inviter(invitation, for: use, ownCard: card)
        let pending = try receive(first, &inviter)
        let second = pending.packet
        let third = try joiner.receive(second, now: period, unixMilliseconds: Scene.milliseconds).packet

        places.append(
            Place(name: "an inviter, \(title)", packet: first) { packet in
                var inviter = base.value
                do {
                    _ = try receive(packet, &inviter)
                    return true
                } catch { return false }
            } acceptsAgain: {
                var inviter = base.value
                do {
                    _ = try receive(first, &inviter)
                    _ = try receive(first, &inviter)
                    return true
                } catch { return false }
            })
        places.append(
            Place(name: "a joiner, \(title)", packet: second) { packet in
                do {
                    _ = try join().receive(packet, now: period, unixMilliseconds: Scene.milliseconds)
                    return true
                } catch { return false }
            })
        places.append(
            Place(name: "an inviter that has replied, \(title)", packet: third) { packet in
                do {
                    var inviter = base.value
                    let pending = try receive(first, &inviter)
                    _ = try inviter.complete(pending, with: packet, now: period, unixMilliseconds: Scene.milliseconds)
                    return true
                } catch { return false }
            })
        let keys = try joinerKeys(
            invitation, use, transport, caller, seed: seed, second: second, own: own, third: third)
        try addRecords(keys, title)
    }

    private func joinerKeys(
        _ invitation: Invitation, _ use: InvitationUse, _ transport: Transport, _ caller: SecretBox<NoiseKeyPair>,
        seed: UInt64, second: Packet, own: ContactCard, third: Packet
    ) throws -> SecretBox<TransportKeys> {
        let exchange = InvitationExchange(invitation, use, transport)
        var generator = Draws(seed)
        let start = try exchange.handshake(
            .initiator, deviceKey: caller.value, ephemeral: NoiseKeyPair(from: &generator))
        var message: [UInt8] = []
        let sent = try start.write(
            message: 1, InvitationExchange.emptyPayload, appendingTo: &message, presharedKeys: exchange.presharedKey)
        var received = SecretBytes(count: 0) { _ in }
        let answered = try sent.read(
            message: 2, second.body.span, into: &received, presharedKeys: exchange.presharedKey)
        var last: [UInt8] = []
        let complete = try answered.write(
            message: 3,
            use == .firstContact
                ? InvitationExchange.payload(own, Scene.milliseconds) : InvitationExchange.emptyPayload,
            appendingTo: &last, presharedKeys: exchange.presharedKey)
        guard last == third.body else { throw RigFault(step: "message 3") }
        return SecretBox(try complete.finish(afterMessage: 3))
    }

    // MARK: Sessions

    /// Adds three records in each direction.
    private mutating func addRecords(_ keys: SecretBox<TransportKeys>, _ title: String) throws {
        let peer = device.value.publicKey
        let introduction = PeerIntroduction.contact(payload)
        func session(_ role: Role) -> EstablishedSession {
            EstablishedSession(
                role: role, peerKey: peer, introduction: introduction,
                keys: TransportKeys(
                    handshakeHash: keys.value.handshakeHash,
                    initiator: keys.value.sending(as: .initiator).withKey { SecretBytes(copying: $0) },
                    responder: keys.value.sending(as: .responder).withKey { SecretBytes(copying: $0) }))
        }
        for sender in [Role.initiator, .responder] {
            let receiver: Role = sender == .initiator ? .responder : .initiator
            var sending = session(sender)
            // The same record each time, so that only its place in the order tells one from the next.
            let packets = try (0..<3).map { _ in
                try sending.seal(Hello(ownSerial: 1, peerSerial: 0, grants: []).record)
            }
            for (number, packet) in packets.enumerated() {
                func opens(_ packet: Packet, isTwice: Bool) -> Bool {
                    do {
                        var receiving = session(receiver)
                        for earlier in packets.prefix(number) { _ = try receiving.open(earlier) }
                        _ = try receiving.open(packet)
                        if isTwice { _ = try receiving.open(packet) }
                        return true
                    } catch { return false }
                }
                places.append(
                    Place(name: "a receiver (\(receiver)) before record \(number), \(title)", packet: packet) {
                        opens($0, isTwice: false)
                    } acceptsAgain: {
                        opens(packet, isTwice: true)
                    })
            }
        }
    }
}

/// A value that is computed when it is first read.
private final class Lazily<Value> {
    private let make: () -> Value
    private(set) lazy var value = make()

    init(_ make: @escaping () -> Value) { self.make = make }
}

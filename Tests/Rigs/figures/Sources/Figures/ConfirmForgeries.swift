import InklingKeys

@testable import InklingWire

/// Forged and changed messages of confirm handshakes and of the sessions after them. None may confirm anybody.
///
/// Each attempt meets a responder that has received nothing, so that neither its replay cache nor a budget refuses it.
struct ConfirmForgeries {
    /// One honest handshake.
    private struct Honest {
        let context: ConfirmContext
        let seed: UInt64
        let first: Packet
        let second: Packet
        let keys: SecretBox<TransportKeys>
        let hellos: [Packet]
    }

    private let device: SecretBox<NoiseKeyPair>
    private let contact: SecretBox<NoiseKeyPair>
    private let stranger: SecretBox<NoiseKeyPair>
    private let payload = ConfirmPayload(transports: .tcp, generation: 3, unixMilliseconds: Scene.milliseconds)
    private var handshakes: [Honest] = []
    private var draws: Draws
    private(set) var account = Account()

    init(seed: UInt64) throws {
        draws = Draws(seed)
        device = try Scene.key(2)
        contact = try Scene.key(3)
        stranger = try Scene.key(4)
        for transport in Transport.allCases {
            for number in 0..<4 {
                let context = try Scene.context(quarter: UInt32(number), transport: transport)
                handshakes.append(try honest(context, seed: draws.next()))
            }
        }
    }

    private func start(_ context: ConfirmContext, seed: UInt64, from key: SecretBox<NoiseKeyPair>) throws
        -> ConfirmInitiator
    {
        var generator = Draws(seed)
        return try ConfirmInitiator(
            context, deviceKey: key.value, responder: device.value.publicKey, payload: payload, using: &generator)
    }

    private func receive(_ packet: Packet, _ context: ConfirmContext) throws -> ConfirmRequest {
        var responder = ConfirmResponder()
        var generator = Draws(7)
        let known = contact.value.publicKey
        return try responder.receive(
            packet, contexts: [context], deviceKey: device.value, at: 0, using: &generator
        ) { $0 == known ? Scene.secret(9) : nil }
    }

    private func honest(_ context: ConfirmContext, seed: UInt64) throws -> Honest {
        let initiator = try start(context, seed: seed, from: contact)
        let first = initiator.packet
        let second = try receive(first, context).reply(payload).packet
        _ = try initiator.receive(second, pairwiseKey: Scene.secret(9))
        // Sessions are made again from keys, because a session ends at the first record that does not open.
        var keyDraws = Draws(seed ^ 1)
        let keys = SecretBox(
            TransportKeys(
                handshakeHash: stranger.value.publicKey, initiator: SecretBytes(count: 32, from: &keyDraws),
                responder: SecretBytes(count: 32, from: &keyDraws)))
        let hellos = try [Role.initiator, .responder].map { role in
            var session = session(role, keys)
            return try session.seal(Hello(ownSerial: 1, peerSerial: 0, grants: []).record)
        }
        return Honest(context: context, seed: seed, first: first, second: second, keys: keys, hellos: hellos)
    }

    private func session(_ role: Role, _ keys: SecretBox<TransportKeys>) -> EstablishedSession {
        EstablishedSession(
            role: role, peerKey: contact.value.publicKey, introduction: .contact(payload),
            keys: TransportKeys(
                handshakeHash: keys.value.handshakeHash,
                initiator: keys.value.sending(as: .initiator).withKey { SecretBytes(copying: $0) },
                responder: keys.value.sending(as: .responder).withKey { SecretBytes(copying: $0) }))
    }

    /// Makes `count` attempts. Of a thousand, 790 are cheap: they stop at the gate.
    mutating func run(_ count: Int) throws {
        var number = 0
        while account.attempts < count {
            defer { number += 1 }
            let honest = handshakes[draws.below(handshakes.count)]
            let other = handshakes[draws.below(handshakes.count)]
            let isControl = number.isMultiple(of: 500) || number < 200
            let kind = number < 200 ? number * 5 : draws.below(1000)
            switch kind {
            case ..<600: try changedFirst(honest, other, hasGate: false, isControl)
            case ..<790: try randomFirst(honest, hasGate: false, isControl)
            case ..<890: try changedFirst(honest, other, hasGate: true, isControl)
            case ..<910: try randomFirst(honest, hasGate: true, isControl)
            case ..<920: try strangersFirst(honest, isControl)
            case ..<940: try changedSecond(honest, other, isControl)
            default: try changedRecord(honest, other, isControl)
            }
        }
    }

    private mutating func first(_ kind: String, _ body: [UInt8], _ honest: Honest, _ isControl: Bool) throws {
        if isControl {
            account.control(kind, isAccepted: isAuthenticated(honest.first, honest.context))
        }
        let packet = try Packet(.confirmFirst, body: body)
        account.attempt(kind, isAccepted: isAuthenticated(packet, honest.context), "\(body)")
    }

    private func isAuthenticated(_ packet: Packet, _ context: ConfirmContext) -> Bool {
        do {
            _ = try receive(packet, context)
            return true
        } catch {
            return false
        }
    }

    private func withGate(_ body: [UInt8], _ context: ConfirmContext) -> [UInt8] {
        Gate.body(
            key: context.gateKey.value, transport: context.transport, message: Array(body.dropFirst(Gate.byteCount)))
    }

    private mutating func changedFirst(_ honest: Honest, _ other: Honest, hasGate: Bool, _ isControl: Bool) throws {
        var body = draws.mutated(honest.first.body, other: other.first.body)
        if hasGate {
            body = withGate(body, honest.context)
            // Only the gate had been changed, and it is right again.
            if body == honest.first.body { return }
        }
        try first(hasGate ? "message 1 changed, with a right gate" : "message 1 changed", body, honest, isControl)
    }

    private mutating func randomFirst(_ honest: Honest, hasGate: Bool, _ isControl: Bool) throws {
        var body = draws.bytes(honest.first.body.count)
        if hasGate { body = withGate(body, honest.context) }
        try first(hasGate ? "random bytes with a right gate" : "random bytes", body, honest, isControl)
    }

    /// Tries messages of a sender who knows the audience and is not a contact, and which are right in every other way.
    private mutating func strangersFirst(_ honest: Honest, _ isControl: Bool) throws {
        let packet = try start(honest.context, seed: draws.next(), from: stranger).packet
        try first("message 1 of somebody else who knows the audience", packet.body, honest, isControl)
    }

    private mutating func changedSecond(_ honest: Honest, _ other: Honest, _ isControl: Bool) throws {
        let kind = "message 2 changed"
        if isControl {
            let initiator = try start(honest.context, seed: honest.seed, from: contact)
            account.control(kind, isAccepted: isConfirmed(by: honest.second, initiator))
        }
        let body = draws.mutated(honest.second.body, other: other.second.body)
        let initiator = try start(honest.context, seed: honest.seed, from: contact)
        account.attempt(kind, isAccepted: isConfirmed(by: try Packet(.confirmSecond, body: body), initiator), "\(body)")
    }

    private func isConfirmed(by packet: Packet, _ initiator: consuming ConfirmInitiator) -> Bool {
        do {
            _ = try initiator.receive(packet, pairwiseKey: Scene.secret(9))
            return true
        } catch {
            return false
        }
    }

    private mutating func changedRecord(_ honest: Honest, _ other: Honest, _ isControl: Bool) throws {
        let kind = "the first record changed"
        let direction = draws.below(2)
        let role: Role = direction == 0 ? .responder : .initiator
        if isControl {
            account.control(kind, isAccepted: isOpened(honest.hellos[direction], session(role, honest.keys)))
        }
        let body = draws.mutated(honest.hellos[direction].body, other: other.hellos[direction].body)
        account.attempt(
            kind, isAccepted: isOpened(try Packet(.record, body: body), session(role, honest.keys)), "\(body)")
    }

    private func isOpened(_ packet: Packet, _ session: consuming EstablishedSession) -> Bool {
        do {
            _ = try UnauthenticatedSession(packet: packet, session: session).receive(packet)
            return true
        } catch {
            return false
        }
    }
}

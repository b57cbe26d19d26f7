import InklingKeys

@testable import InklingWire

/// Forged and changed messages of first contacts and device links. Nobody may become a contact or a device by one.
struct InvitationForgeries {
    /// One honest handshake; it is made again from its seed for each attempt that ends it.
    private struct Honest {
        let use: InvitationUse
        let transport: Transport
        let invitation: Invitation
        let seed: UInt64
        var packets: [Packet] = []
    }

    private let device: SecretBox<NoiseKeyPair>
    private let joinersDevice: SecretBox<NoiseKeyPair>
    private let card: ContactCard
    private let joinersCard: ContactCard
    private var handshakes: [Honest] = []
    private var draws: Draws
    private(set) var account = Account()

    init(seed: UInt64) throws {
        draws = Draws(seed)
        device = try Scene.key(2)
        joinersDevice = try Scene.key(3)
        card = try Scene.card(0x41, device: device.value.publicKey, name: "Ada")
        joinersCard = try Scene.card(0x42, device: joinersDevice.value.publicKey, name: "Bo")
        for use in [InvitationUse.firstContact, .deviceLink] {
            for transport in Transport.allCases {
                let invitation = Invitation(
                    to: card, transports: .known, lasting: .seconds(600), from: Scene.unixSeconds, using: &draws)
                var honest = Honest(use: use, transport: transport, invitation: invitation, seed: draws.next())
                let joiner = try join(honest)
                honest.packets.append(joiner.packet)
                var inviter = inviter(honest)
                let pending = try receive(joiner.packet, honest, &inviter)
                honest.packets.append(pending.packet)
                let joined = try joiner.receive(
                    pending.packet, now: Scene.period(), unixMilliseconds: Scene.milliseconds)
                honest.packets.append(joined.packet)
                _ = try inviter.complete(
                    pending, with: joined.packet, now: Scene.period(), unixMilliseconds: Scene.milliseconds)
                handshakes.append(honest)
            }
        }
    }

    private func inviter(_ honest: Honest) -> Inviter { Inviter(honest.invitation, for: honest.use, ownCard: card) }

    private func join(_ honest: Honest) throws -> Joiner {
        var generator = Draws(honest.seed)
        return try Joiner(
            honest.invitation, for: honest.use == .firstContact ? .firstContact(joinersCard) : .deviceLink,
            transport: honest.transport, deviceKey: joinersDevice.value, using: &generator)
    }

    private func receive(_ packet: Packet, _ honest: Honest, _ inviter: inout Inviter) throws -> PendingJoiner {
        var generator = Draws(honest.seed ^ 1)
        var budget = FirstMessageBudget.node
        return try inviter.receive(
            packet, transport: honest.transport, deviceKey: device.value, budget: &budget, at: 0,
            unixMilliseconds: Scene.milliseconds, using: &generator)
    }

    /// Makes `count` attempts. Half are changes of message 1, and half of these stop at the gate.
    mutating func run(_ count: Int) throws {
        var number = 0
        while account.attempts < count {
            defer { number += 1 }
            let honest = handshakes[draws.below(handshakes.count)]
            let other = handshakes[draws.below(handshakes.count)]
            let isControl = number.isMultiple(of: 500) || number < 40
            switch number < 40 ? number % 4 : draws.below(8) {
            case 0, 4, 5: try attempt(0, "an invitation's message 1 changed", honest, other, isControl)
            case 1, 6:
                try attempt(
                    0, "an invitation's message 1 changed, with a right gate", honest, other, isControl, hasGate: true)
            case 2, 7: try attempt(1, "an invitation's message 2 changed", honest, other, isControl)
            default: try attempt(2, "an invitation's message 3 changed", honest, other, isControl)
            }
        }
    }

    private mutating func attempt(
        _ step: Int, _ kind: String, _ honest: Honest, _ other: Honest, _ isControl: Bool, hasGate: Bool = false
    ) throws {
        if isControl { account.control(kind, isAccepted: isAccepted(honest.packets[step], step, honest)) }
        let packet = honest.packets[step]
        var body = draws.mutated(packet.body, other: other.packets[step].body)
        if hasGate {
            let message = Array(body.dropFirst(Gate.byteCount))
            body = Gate.body(key: honest.invitation.keys().gateKey, transport: honest.transport, message: message)
            if body == packet.body { return }
        }
        account.attempt(kind, isAccepted: isAccepted(try Packet(packet.type, body: body), step, honest), "\(body)")
    }

    private func isAccepted(_ packet: Packet, _ step: Int, _ honest: Honest) -> Bool {
        do {
            var inviter = inviter(honest)
            switch step {
            case 0: _ = try receive(packet, honest, &inviter)
            case 1:
                _ = try join(honest).receive(packet, now: Scene.period(), unixMilliseconds: Scene.milliseconds)
            default:
                let pending = try receive(honest.packets[0], honest, &inviter)
                _ = try inviter.complete(
                    pending, with: packet, now: Scene.period(), unixMilliseconds: Scene.milliseconds)
            }
            return true
        } catch {
            return false
        }
    }
}

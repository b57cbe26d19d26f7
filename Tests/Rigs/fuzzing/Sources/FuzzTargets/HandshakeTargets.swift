internal import CFuzzing
internal import InklingKeys

@testable internal import InklingWire

extension FuzzTarget {
    static let handshakeTargets = [
        // First byte 0: the rest is the packet of message 1. 1: the rest follows a correct gate. 2: the rest is the payload of
        // a message from a contact.
        FuzzTarget("confirm-first-message") { input in
            guard let mode = input.isEmpty ? nil : input[0], let context, let responderKey else { return nil }
            var body = input.extracting(1...).array
            do {
                if mode == 2 {
                    guard let message = try contactsMessage(context, payload: body) else { return nil }
                    body = Gate.body(key: context.gateKey.value, transport: .tcp, message: message)
                } else if mode == 1 {
                    body = Gate.body(key: context.gateKey.value, transport: .tcp, message: body)
                }
                note_copy(UInt(mode == 0 ? 0 : body.count))
                let packet = try Packet(.confirmFirst, body: body)
                var responder = ConfirmResponder()
                var draws = FixedGenerator()
                let request = try responder.receive(
                    packet, contexts: [context], deviceKey: responderKey.value, at: 0, using: &draws,
                    pairwiseKey: { _ in SecretBytes(count: 32) { $0[0] = 9 } })
                promise(mode == 2, "no message 1 is accepted that no contact wrote")
                let again = request.payload.encoded(for: .first)
                promise(again.count == ConfirmPayload.Message.first.byteCount, "a payload has its size")
                return UInt32(truncatingIfNeeded: request.payload.generation & 0xffff)
            } catch { return nil }
        },

        FuzzTarget("confirm-payload") { input in
            for message in ConfirmPayload.Message.allCases {
                guard let payload = try? ConfirmPayload(parsing: input, of: message) else { continue }
                promise(payload.encoded(for: message).count == input.count, "a payload has its size")
                return UInt32(truncatingIfNeeded: payload.generation & 0xffff)
            }
            return nil
        },

        FuzzTarget("first-contact-payload") { input in
            guard let payload = try? FirstContactPayload(parsing: input) else { return nil }
            promise(payload.card.count <= FirstContactPayload.cardLimit, "a card is bounded")
            promise(payload.encoded().count == input.count, "a payload has its size")
            return payload.card.field()
        },

        FuzzTarget("text-message") { input in
            guard let message = try? SyncMessage(parsing: input) else { return nil }
            promise(message.record.withBody { $0.isEqual(to: input) }, "a text is its bytes")
            return UInt32(truncatingIfNeeded: message.number & 0xffff)
        },
    ]

    private static let responderKey: SecretBox<NoiseKeyPair>? =
        switch key(2) {
        case .some(let key): SecretBox(key)
        case .none: nil
        }
    private static let context = Epoch(1_984_000).map {
        ConfirmContext(
            transport: .tcp, epoch: $0, device: .first, identifier: Octets16(high: 1, low: 2),
            preSharedKey: SecretBytes(count: 32) { $0[0] = 4 }, gateKey: SecretBytes(count: 32) { $0[0] = 5 })
    }
}

/// Creates a key pair. Of the first byte X25519 ignores three bits, so the second one makes the keys differ.
private func key(_ second: UInt8) -> NoiseKeyPair? {
    NoiseKeyPair(privateKey: SecretBytes(count: 32) { $0[1] = second })
}

private func contactsMessage(_ context: ConfirmContext, payload: [UInt8]) throws -> [UInt8]? {
    guard payload.count == ConfirmPayload.Message.first.byteCount, let own = key(6), let ephemeral = key(7),
        let responder = key(2)?.publicKey
    else { return nil }
    let start = try context.handshake(.initiator, deviceKey: own, responder: responder, ephemeral: ephemeral)
    var message: [UInt8] = []
    _ = try start.write(payload.span, appendingTo: &message) { _, _ in context.preSharedKey.value.duplicate() }
    return message
}

/// A generator of the same numbers for every input, so that a failure can be replayed.
private struct FixedGenerator: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}

internal import InklingKeys
internal import InklingWire

extension Operation {
    static let noiseOperations = [
        Operation("the confirm handshake, both sides: IKpsk0+psk2") {
            try handshake("Noise_IKpsk0+psk2_25519_ChaChaPoly_SHA256", responderIsKnown: true)
        },
        Operation("a first contact, both sides: XXpsk0+psk3") {
            try handshake("Noise_XXpsk0+psk3_25519_ChaChaPoly_SHA256", responderIsKnown: false)
        },
        Operation("a message 1 under another pre-shared key is refused") {
            let name = try NoiseProtocolName("Noise_IKpsk0+psk2_25519_ChaChaPoly_SHA256").orThrow()
            let initiator = try HandshakeState(
                name, role: .initiator, prologue: noBytes.span, localStatic: NoiseKeyPair(privateKey: poisoned(11)),
                remoteStatic: X25519.publicKey(of: poisoned(12)), ephemeral: NoiseKeyPair(privateKey: poisoned(13)))
            let responder = try HandshakeState(
                name, role: .responder, prologue: noBytes.span, localStatic: NoiseKeyPair(privateKey: poisoned(12)),
                ephemeral: NoiseKeyPair(privateKey: poisoned(14)))
            var message: [UInt8] = []
            _ = try initiator.write(noBytes.span, appendingTo: &message) { position, _ in presharedKey(position) }
            var payload = SecretBytes(count: 0) { _ in }
            do {
                _ = try responder.read(message.span, into: &payload) { _, _ in poisoned(99) }
                throw Unexpected()
            } catch is NoiseError {}
        },
    ]
}

private let noBytes: [UInt8] = []

private func presharedKey(_ position: Int) -> SecretBytes { poisoned(UInt8(20 + position)) }

/// Runs a handshake between two parties whose keys are all poisoned, and derives every value from it.
private func handshake(_ protocolName: String, responderIsKnown: Bool) throws {
    let name = try NoiseProtocolName(protocolName).orThrow()
    let payload = [UInt8]("payload".utf8)
    var initiator = try HandshakeState(
        name, role: .initiator, prologue: noBytes.span, localStatic: NoiseKeyPair(privateKey: poisoned(11)),
        remoteStatic: responderIsKnown ? X25519.publicKey(of: poisoned(12)) : nil,
        ephemeral: NoiseKeyPair(privateKey: poisoned(13)))
    var responder = try HandshakeState(
        name, role: .responder, prologue: noBytes.span, localStatic: NoiseKeyPair(privateKey: poisoned(12)),
        ephemeral: NoiseKeyPair(privateKey: poisoned(14)))
    var isInitiatorsTurn = true
    while !initiator.isComplete {
        var message: [UInt8] = []
        var received = SecretBytes(count: 0) { _ in }
        if isInitiatorsTurn {
            initiator = try initiator.write(payload.span, appendingTo: &message) { position, _ in presharedKey(position)
            }
            responder = try responder.read(message.span, into: &received) { position, _ in presharedKey(position) }
        } else {
            responder = try responder.write(payload.span, appendingTo: &message) { position, _ in presharedKey(position)
            }
            initiator = try initiator.read(message.span, into: &received) { position, _ in presharedKey(position) }
        }
        try expect(received.withBytes { constantTimeEquals($0, payload.span) })
        isInitiatorsTurn.toggle()
    }
    try finish(try initiator.finish(), try responder.finish())
}

private func finish(_ initiator: consuming TransportKeys, _ responder: consuming TransportKeys) throws {
    let sending = initiator.sending(as: .initiator)
    let receiving = responder.receiving(as: .responder)
    try expect(sending.withKey { left in receiving.withKey { constantTimeEquals(left, $0) } })

    let left = initiator.exporter()
    let right = responder.exporter()
    try expect(left.pairwiseKey().equals(right.pairwiseKey()))
    for version in TLSVersion.allCases {
        try expect(left.tlsKey(for: .tcp, version: version).equals(right.tlsKey(for: .tcp, version: version)))
        var identity = left.tlsIdentity(for: .tcp, version: version)
        declarePublic(tlsIdentity: &identity)
        try expect(identity.description.count == 32)
    }
}

import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

@Suite struct `Public Noise vectors` {
    @Test(arguments: [("noise-cacophony", 118), ("noise-snow", 102), ("noise-bitchat", 4)])
    func `both roles of every handshake reproduce the published bytes`(file: String, count: Int) throws {
        let vectors = try NoiseVectors(external: file)
        #expect(vectors.operation == "noise")
        #expect(vectors.caseCount == vectors.cases.count)
        #expect(vectors.cases.count == count)
        for vector in vectors.cases {
            let result = try run(vector.args)
            #expect(result == vector.result, "\(vector.id) \(vector.args.protocolName)")
        }
    }
}

/// Runs one party with recorded messages of the other: the operation `noise` of `Specs/noise.md`.
private func run(_ arguments: NoiseVectors.Arguments) throws -> NoiseVectors.Result {
    let name = try #require(NoiseProtocolName(arguments.protocolName))
    let role: Role = arguments.role == "initiator" ? .initiator : .responder
    let keys = Dictionary(uniqueKeysWithValues: zip(name.pattern.pskPositions, arguments.psks.map(bytes)))
    let presharedKeys: HandshakeState.PresharedKeys = { position, _ in
        keys[position].map { SecretBytes(copying: $0.span) } ?? nil
    }
    var state = try HandshakeState(
        name, role: role, prologue: bytes(arguments.prologue).span, localStatic: keyPair(arguments.localStatic),
        remoteStatic: arguments.remoteStatic.flatMap { Octets32(bytes($0).span) },
        ephemeral: keyPair(arguments.ephemeral))

    var result = NoiseVectors.Result()
    var own = arguments.payloads.map(bytes)[...]
    var received = arguments.received.map(bytes)[...]
    while !state.isComplete {
        if state.isOwnTurn {
            let payload = try unwrap(own.popFirst())
            var message: [UInt8] = []
            state = try state.write(payload.span, appendingTo: &message, presharedKeys: presharedKeys)
            result.sent.append(hex(message))
        } else {
            let message = try unwrap(received.popFirst())
            var payload = SecretBytes(count: 0) { _ in }
            state = try state.read(message.span, into: &payload, presharedKeys: presharedKeys)
            result.payloads.append(payload.withBytes { hex($0) })
        }
    }
    let transport = try state.finish()
    result.handshakeHash = transport.handshakeHash.description
    var sending = transport.sending(as: role)
    var receiving = transport.receiving(as: role)
    result.sendKey = sending.withKey { hex($0) }
    result.receiveKey = receiving.withKey { hex($0) }
    for payload in own {
        var message: [UInt8] = []
        try sending.encrypt(payload.span, associatedData: Span(), appendingTo: &message)
        result.sent.append(hex(message))
    }
    for message in received {
        let payload = try receiving.decrypt(message.span, associatedData: Span())
        result.payloads.append(payload.withBytes { hex($0) })
    }
    return result
}

private func keyPair(_ privateKey: String?) -> NoiseKeyPair? {
    guard let privateKey else { return nil }
    return NoiseKeyPair(privateKey: SecretBytes(copying: bytes(privateKey).span))
}

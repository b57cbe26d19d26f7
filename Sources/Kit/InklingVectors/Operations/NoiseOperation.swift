internal import InklingJSON
internal import InklingKeys
internal import InklingWire

/// Runs one side of a complete handshake and of the transport messages after it (`Specs/noise.md`).
let noiseOperation = ShimOperation(
    "noise",
    [
        .text("protocolName"), .text("role", .oneOf(["initiator", "responder"])), .bytes("prologue"),
        .bytesList("psks", in: 32...32), .bytes("localStatic", 32).optional, .bytes("remoteStatic", 32).optional,
        .bytes("ephemeral", 32).optional, .bytesList("payloads"), .bytesList("received"),
    ]
) { arguments throws(ShimRefusal) in
    let script = try NoiseScript(arguments)
    var transcript = NoiseTranscript()
    let keys = try script.handshake(arguments, into: &transcript)
    try script.transport(keys, into: &transcript)
    return [
        "sent": .list(transcript.sent), "payloads": .list(transcript.payloads),
        "handshakeHash": .hex(keys.handshakeHash),
        "sendKey": keys.sending(as: script.role).withKey { .hex($0) },
        "receiveKey": keys.receiving(as: script.role).withKey { .hex($0) },
    ]
}

/// The messages to send and to receive, checked against the protocol name.
private struct NoiseScript {
    let name: NoiseProtocolName
    let role: Role
    let psks: [SecretBox<SecretBytes>]
    let payloads: [[UInt8]]
    let received: [[UInt8]]

    init(_ arguments: ShimArguments) throws(ShimRefusal) {
        guard let name = NoiseProtocolName(arguments.text("protocolName")) else {
            throw .arguments(NoiseError.unknownProtocol.reason)
        }
        self.name = name
        role = arguments.text("role") == "initiator" ? .initiator : .responder
        psks = arguments.bytesList("psks").map { SecretBox(SecretBytes(copying: $0.span)) }
        guard psks.count == name.pattern.pskPositions.count else { throw .arguments("wrong-count") }
        payloads = arguments.bytesList("payloads")
        received = arguments.bytesList("received")
    }

    /// Runs the handshake and adds its messages to `transcript`.
    func handshake(
        _ arguments: ShimArguments, into transcript: inout NoiseTranscript
    ) throws(ShimRefusal) -> TransportKeys {
        let prologue = arguments.bytes("prologue")
        var state: HandshakeState
        do throws(NoiseError) {
            state = try HandshakeState(
                name, role: role, prologue: prologue.span, localStatic: arguments.keyPair("localStatic"),
                remoteStatic: arguments.has("remoteStatic") ? arguments.octets32("remoteStatic") : nil,
                ephemeral: arguments.keyPair("ephemeral"))
        } catch {
            throw .arguments(error.reason)
        }
        try checkTurnsAndLengths()
        do throws(NoiseError) {
            while !state.isComplete {
                if state.isOwnTurn {
                    var message: [UInt8] = []
                    let payload = payloads[transcript.sent.count]
                    state = try state.write(payload.span, appendingTo: &message, presharedKeys: psk)
                    transcript.sent.append(.hex(message.span))
                } else {
                    let message = received[transcript.beginReading()]
                    var payload = SecretBytes(count: 0) { _ in }
                    state = try state.read(message.span, into: &payload, presharedKeys: psk)
                    transcript.payloads.append(.hex(payload))
                }
            }
            return try state.finish()
        } catch {
            throw transcript.refusal(error)
        }
    }

    /// Runs the transport messages after the handshake and adds them to `transcript`.
    func transport(
        _ keys: borrowing TransportKeys, into transcript: inout NoiseTranscript
    ) throws(ShimRefusal) {
        var sending = keys.sending(as: role)
        var receiving = keys.receiving(as: role)
        do throws(NoiseError) {
            for index in name.pattern.messages.count..<payloads.count + received.count {
                if name.pattern.sender(ofMessage: index) == role {
                    var message: [UInt8] = []
                    let payload = payloads[transcript.sent.count]
                    try sending.encrypt(payload.span, associatedData: Span(), appendingTo: &message)
                    transcript.sent.append(.hex(message.span))
                } else {
                    let message = received[transcript.beginReading()]
                    guard (AuthenticatedCipher.tagByteCount...HandshakeState.messageLimit).contains(message.count)
                    else { throw .wrongLength }
                    transcript.payloads.append(
                        .hex(try receiving.decrypt(message.span, associatedData: Span())))
                }
            }
        } catch {
            throw transcript.refusal(error)
        }
    }

    private func checkTurnsAndLengths() throws(ShimRefusal) {
        let pattern = name.pattern
        let total = payloads.count + received.count
        let own = (0..<total).filter { pattern.sender(ofMessage: $0) == role }
        guard total >= pattern.messages.count, own.count == payloads.count else { throw .arguments("wrong-count") }
        for (index, payload) in zip(own, payloads) {
            let overhead =
                index < pattern.messages.count
                ? pattern.overhead(ofMessage: index) : AuthenticatedCipher.tagByteCount
            guard overhead + payload.count <= HandshakeState.messageLimit else {
                throw .arguments(NoiseError.tooLong.reason)
            }
        }
    }

    private func psk(_ position: Int, _: Octets32?) -> SecretBytes? {
        guard let index = name.pattern.pskPositions.firstIndex(of: position) else { return nil }
        return psks[index].value.duplicate()
    }
}

/// The messages sent and read so far.
private struct NoiseTranscript {
    var sent: [JSON] = []
    var payloads: [JSON] = []
    private var readCount = 0

    /// Returns the index of the received message to read next, and counts it as read.
    mutating func beginReading() -> Int {
        defer { readCount += 1 }
        return readCount
    }

    /// Converts an error. Its stage is the last message read, or the arguments before the first one.
    func refusal(_ error: NoiseError) -> ShimRefusal {
        ShimRefusal(readCount == 0 ? "arguments" : "message-\(readCount)", error.reason)
    }
}

internal import InklingKeys

// The steps of a handshake with the number of the message they belong to, counted from 1.

extension HandshakeState {
    /// The state before message 1 of the protocol with this name.
    static func start(
        _ name: String, _ role: Role, prologue: [UInt8], deviceKey: borrowing NoiseKeyPair,
        remoteStatic: Octets32? = nil, ephemeral: consuming NoiseKeyPair
    ) throws(HandshakeError) -> HandshakeState {
        guard let name = NoiseProtocolName(name) else { throw .noise(message: 1, .unknownProtocol) }
        do {
            return try HandshakeState(
                name, role: role, prologue: prologue.span, localStatic: deviceKey.duplicate(),
                remoteStatic: remoteStatic, ephemeral: ephemeral)
        } catch {
            throw .noise(message: 1, error)
        }
    }

    consuming func write(
        message: Int, _ payload: [UInt8], appendingTo body: inout [UInt8], presharedKeys: PresharedKeys
    ) throws(HandshakeError) -> HandshakeState {
        do {
            return try write(payload.span, appendingTo: &body, presharedKeys: presharedKeys)
        } catch {
            throw .noise(message: message, error)
        }
    }

    consuming func read(
        message: Int, _ bytes: Span<UInt8>, into payload: inout SecretBytes, presharedKeys: PresharedKeys,
        welcomes: (Octets32) throws(NoiseError) -> Void = { _ in }
    ) throws(HandshakeError) -> HandshakeState {
        do {
            return try read(bytes, into: &payload, presharedKeys: presharedKeys, welcomes: welcomes)
        } catch {
            throw .noise(message: message, error)
        }
    }

    /// The keys of the session after the last message.
    consuming func finish(afterMessage message: Int) throws(HandshakeError) -> TransportKeys {
        do { return try finish() } catch { throw .noise(message: message, error) }
    }
}

extension Packet {
    /// The packet of a handshake message, whose size follows from its tokens and payload.
    static func handshake(_ type: PacketType, body: [UInt8]) throws(HandshakeError) -> Packet {
        do { return try Packet(type, body: body) } catch { throw .unexpectedPacket }
    }
}

internal import InklingKeys

// The steps of a handshake, whose errors contain the number of the message, counted from 1.

extension HandshakeState {
    /// Returns the state before message 1 of the protocol.
    static func start(
        _ name: NoiseProtocolName, _ role: Role, prologue: [UInt8], deviceKey: borrowing NoiseKeyPair,
        remoteStatic: Octets32? = nil, ephemeral: consuming NoiseKeyPair
    ) throws(HandshakeError) -> HandshakeState {
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
        checkStatic: (Octets32) throws(NoiseError) -> Void = { _ in }
    ) throws(HandshakeError) -> HandshakeState {
        do {
            return try read(bytes, into: &payload, presharedKeys: presharedKeys, checkStatic: checkStatic)
        } catch {
            throw .noise(message: message, error)
        }
    }

    /// Ends the handshake after its last message and returns the keys of the session.
    consuming func finish(afterMessage message: Int) throws(HandshakeError) -> TransportKeys {
        do { return try finish() } catch { throw .noise(message: message, error) }
    }
}

extension Packet {
    /// Returns the packet of a handshake message. It does not throw if `type` is that of the message, because the size
    /// of the body follows from the pattern and the payload.
    static func handshake(_ type: PacketType, body: [UInt8]) throws(HandshakeError) -> Packet {
        do { return try Packet(type, body: body) } catch { throw .unexpectedPacket }
    }
}

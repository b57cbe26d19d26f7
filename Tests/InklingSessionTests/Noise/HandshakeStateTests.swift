import InklingKeys
import InklingTesting
import Testing

@testable import InklingSession

/// A point of order 8 (RFC 7748, section 6.1): every agreement with it yields zero.
private let lowOrderPoint = bytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")

/// A key pair whose private key is 32 times `byte`.
private func pair(_ byte: UInt8) throws -> NoiseKeyPair {
    try unwrap(NoiseKeyPair(privateKey: SecretBytes(copying: [UInt8](repeating: byte, count: 32).span)))
}

private func name(_ pattern: String) throws -> NoiseProtocolName {
    try #require(NoiseProtocolName("Noise_\(pattern)_25519_ChaChaPoly_SHA256"))
}

private func presharedKey(_ byte: UInt8) -> SecretBytes {
    SecretBytes(copying: [UInt8](repeating: byte, count: 32).span)
}

@Suite struct `A Noise handshake` {
    @Test func `message sizes follow from the tokens`() throws {
        let sizes = { (pattern: String) in
            let pattern = try name(pattern).pattern
            return pattern.messages.indices.map { pattern.overhead(ofMessage: $0) }
        }
        #expect(try sizes("NN") == [32, 48])
        #expect(try sizes("XX") == [32, 96, 64])
        #expect(try sizes("IKpsk0+psk2") == [96, 48])
        #expect(try sizes("XXpsk0+psk3") == [48, 96, 64])
        #expect(try sizes("Kpsk0") == [48])
        #expect(try sizes("IN") == [64, 48])
    }

    @Test(arguments: [
        "Noise_ZZ_25519_ChaChaPoly_SHA256", "Noise_XX_448_ChaChaPoly_SHA256", "Noise_XX_25519_ChaChaPoly_SHA512",
        "Noise_XXpsk4_25519_ChaChaPoly_SHA256", "Noise_XXpsk3+psk0_25519_ChaChaPoly_SHA256",
        "Noise_XXpsk0psk3_25519_ChaChaPoly_SHA256", "Noise_XXpsk0+_25519_ChaChaPoly_SHA256",
        "Noise_XXpsk0+psk0_25519_ChaChaPoly_SHA256", "Noise_XXfallback_25519_ChaChaPoly_SHA256",
        "Noise_XXpsk٣_25519_ChaChaPoly_SHA256", "Noise__25519_ChaChaPoly_SHA256", "",
    ])
    func `a name outside the table is not a protocol`(text: String) {
        #expect(NoiseProtocolName(text) == nil)
    }

    @Test func `keys that the pattern does not use are refused, and so are missing ones`() throws {
        let protocolName = try name("NK")
        let responder = try pair(2).publicKey
        #expect(throws: NoiseError.missingKey) {
            _ = try HandshakeState(protocolName, role: .initiator, prologue: Span(), ephemeral: pair(1))
        }
        #expect(throws: NoiseError.missingKey) {
            _ = try HandshakeState(protocolName, role: .initiator, prologue: Span(), remoteStatic: responder)
        }
        #expect(throws: NoiseError.unexpectedKey) {
            _ = try HandshakeState(
                protocolName, role: .initiator, prologue: Span(), localStatic: pair(3), remoteStatic: responder,
                ephemeral: pair(1))
        }
    }

    @Test func `a party cannot speak out of turn or finish early`() throws {
        let protocolName = try name("NN")
        #expect(throws: NoiseError.outOfTurn) {
            let responder = try HandshakeState(protocolName, role: .responder, prologue: Span(), ephemeral: pair(1))
            var message: [UInt8] = []
            _ = try responder.write(Span(), appendingTo: &message)
        }
        #expect(throws: NoiseError.outOfTurn) {
            let initiator = try HandshakeState(protocolName, role: .initiator, prologue: Span(), ephemeral: pair(1))
            _ = try initiator.finish()
        }
    }

    @Test(arguments: [0, 47, 65_536])
    func `a message that cannot be whole is refused before anything is computed`(count: Int) throws {
        let responder = try HandshakeState(
            name("NNpsk0"), role: .responder, prologue: Span(), ephemeral: pair(1))
        var payload = SecretBytes(count: 0) { _ in }
        let message = [UInt8](repeating: 0, count: count)
        do {
            _ = try responder.read(message.span, into: &payload) { _, _ in
                Issue.record("a key was asked for")
                return nil
            }
            Issue.record("the message was read")
        } catch {
            #expect(error == .wrongLength)
        }
    }

    @Test func `a payload that makes a message longer than the limit is not written`() throws {
        let initiator = try HandshakeState(name("NN"), role: .initiator, prologue: Span(), ephemeral: pair(1))
        var message: [UInt8] = []
        let payload = [UInt8](repeating: 0, count: 65_504)
        do {
            _ = try initiator.write(payload.span, appendingTo: &message)
            Issue.record("the message was written")
        } catch {
            #expect(error == .tooLong)
        }
        #expect(message.isEmpty)
    }

    @Test func `an ephemeral key of small order ends the handshake of whoever receives it`() throws {
        let responder = try HandshakeState(
            name("NK"), role: .responder, prologue: Span(), localStatic: pair(2), ephemeral: pair(1))
        var payload = SecretBytes(count: 0) { _ in }
        let message = lowOrderPoint + [UInt8](repeating: 0, count: 16)
        do {
            _ = try responder.read(message.span, into: &payload)
            Issue.record("the message was read")
        } catch {
            #expect(error == .lowOrderPoint)
        }
    }

    @Test func `a static key of small order ends the handshake of whoever is about to use it`() throws {
        let initiator = try HandshakeState(
            name("NK"), role: .initiator, prologue: Span(), remoteStatic: Octets32(lowOrderPoint.span),
            ephemeral: pair(1))
        var message: [UInt8] = []
        do {
            _ = try initiator.write(Span(), appendingTo: &message)
            Issue.record("the message was written")
        } catch {
            #expect(error == .lowOrderPoint)
        }
    }

    /// Covers INK-NOI-005.
    @Test func `the responder chooses the last pre-shared key when it knows who is calling`() throws {
        let protocolName = try name("IKpsk0+psk2")
        let caller = try pair(3).publicKey
        let initiator = try HandshakeState(
            protocolName, role: .initiator, prologue: Span(), localStatic: pair(3), remoteStatic: pair(4).publicKey,
            ephemeral: pair(5))
        let responder = try HandshakeState(
            protocolName, role: .responder, prologue: Span(), localStatic: pair(4), ephemeral: pair(6))
        var asked: [Int: [Octets32]] = [:]
        let keys: HandshakeState.PresharedKeys = { position, remoteStatic in
            asked[position] = remoteStatic.map { [$0] } ?? []
            return presharedKey(UInt8(position))
        }
        var payload = SecretBytes(count: 0) { _ in }
        var first: [UInt8] = []
        let waiting = try initiator.write([7].span, appendingTo: &first) { position, _ in presharedKey(UInt8(position))
        }
        let called = try responder.read(first.span, into: &payload, presharedKeys: keys)
        #expect(payload.withBytes { hex($0) } == "07")
        #expect(asked == [0: []])
        var second: [UInt8] = []
        let finished = try called.write([8].span, appendingTo: &second, presharedKeys: keys)
        #expect(asked == [0: [], 2: [caller]])
        let reached = try waiting.read(second.span, into: &payload) { position, _ in presharedKey(UInt8(position)) }
        #expect(payload.withBytes { hex($0) } == "08")
        #expect(try finished.finish().handshakeHash == reached.finish().handshakeHash)
    }

    /// Covers INK-NOI-003.
    @Test func `the last nonce is never used`() throws {
        var sending = CipherState(key: presharedKey(1), nonce: .max - 1)
        var receiving = CipherState(key: presharedKey(1), nonce: .max - 1)
        var message: [UInt8] = []
        try sending.encrypt([1, 2].span, associatedData: Span(), appendingTo: &message)
        #expect(try receiving.decrypt(message.span, associatedData: Span()).withBytes { hex($0) } == "0102")
        #expect(throws: NoiseError.nonceExhausted) {
            try sending.encrypt(Span(), associatedData: Span(), appendingTo: &message)
        }
        #expect(throws: NoiseError.nonceExhausted) { _ = try receiving.decrypt(message.span, associatedData: Span()) }
        #expect(message.count == 18)
    }

    @Test func `a message that does not open leaves the counter where it was`() throws {
        var sending = CipherState(key: presharedKey(1))
        var receiving = CipherState(key: presharedKey(1))
        var message: [UInt8] = []
        try sending.encrypt([1].span, associatedData: Span(), appendingTo: &message)
        #expect(throws: NoiseError.decryptionFailed(.payload)) {
            _ = try receiving.decrypt(message.span.extracting(1...), associatedData: Span())
        }
        #expect(try receiving.decrypt(message.span, associatedData: Span()).withBytes { hex($0) } == "01")
    }
}

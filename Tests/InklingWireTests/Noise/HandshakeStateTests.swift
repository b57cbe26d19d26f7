import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

/// A point of order 8 (RFC 7748, section 6.1), with which every shared secret is zero.
private let lowOrderPoint = bytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")

/// Returns a key pair whose private key is `byte`, repeated 32 times.
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
    @Test func `has message sizes that follow from the tokens`() throws {
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
    func `is not created for an unknown protocol name`(text: String) {
        #expect(NoiseProtocolName(text) == nil)
    }

    @Test func `is not created with missing or unexpected keys`() throws {
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

    @Test func `refuses steps out of turn`() throws {
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
    func `refuses a message of the wrong length before it uses a key`(count: Int) throws {
        let responder = try HandshakeState(
            name("NNpsk0"), role: .responder, prologue: Span(), ephemeral: pair(1))
        var payload = SecretBytes(count: 0) { _ in }
        let message = [UInt8](repeating: 0, count: count)
        do {
            _ = try responder.read(message.span, into: &payload) { _, _ in
                Issue.record("a pre-shared key was requested")
                return nil
            }
            Issue.record("the message was accepted")
        } catch {
            #expect(error == .wrongLength)
        }
    }

    @Test func `does not write a message longer than the limit`() throws {
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

    @Test func `refuses an ephemeral key of small order`() throws {
        let responder = try HandshakeState(
            name("NK"), role: .responder, prologue: Span(), localStatic: pair(2), ephemeral: pair(1))
        var payload = SecretBytes(count: 0) { _ in }
        let message = lowOrderPoint + [UInt8](repeating: 0, count: 16)
        do {
            _ = try responder.read(message.span, into: &payload)
            Issue.record("the message was accepted")
        } catch {
            #expect(error == .lowOrderPoint)
        }
    }

    @Test func `refuses a static key of small order`() throws {
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
    @Test func `lets the responder choose the last pre-shared key by the initiator's static key`() throws {
        let protocolName = try name("IKpsk0+psk2")
        let initiatorKey = try pair(3).publicKey
        let initiator = try HandshakeState(
            protocolName, role: .initiator, prologue: Span(), localStatic: pair(3), remoteStatic: pair(4).publicKey,
            ephemeral: pair(5))
        let responder = try HandshakeState(
            protocolName, role: .responder, prologue: Span(), localStatic: pair(4), ephemeral: pair(6))
        var requested: [Int: [Octets32]] = [:]
        let keys: HandshakeState.PresharedKeys = { position, remoteStatic in
            requested[position] = remoteStatic.map { [$0] } ?? []
            return presharedKey(UInt8(position))
        }
        var payload = SecretBytes(count: 0) { _ in }
        var first: [UInt8] = []
        let waiting = try initiator.write([7].span, appendingTo: &first) { position, _ in presharedKey(UInt8(position))
        }
        let afterFirst = try responder.read(first.span, into: &payload, presharedKeys: keys)
        #expect(payload.withBytes { hex($0) } == "07")
        #expect(requested == [0: []])
        var second: [UInt8] = []
        let finished = try afterFirst.write([8].span, appendingTo: &second, presharedKeys: keys)
        #expect(requested == [0: [], 2: [initiatorKey]])
        let reached = try waiting.read(second.span, into: &payload) { position, _ in presharedKey(UInt8(position)) }
        #expect(payload.withBytes { hex($0) } == "08")
        #expect(try finished.finish().handshakeHash == reached.finish().handshakeHash)
    }

    /// Covers INK-NOI-003.
    @Test func `never uses the last nonce`() throws {
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

    @Test func `does not count a message that fails to decrypt`() throws {
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

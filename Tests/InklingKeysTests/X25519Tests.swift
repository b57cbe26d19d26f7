import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `An X25519 agreement` {
    private let alice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
    private let alicePublic = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
    private let bob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
    private let bobPublic = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"

    @Test func `returns the published keys and shared secret`() throws {
        #expect(X25519.publicKey(of: secret(bytes(alice))).description == alicePublic)
        #expect(X25519.publicKey(of: secret(bytes(bob))).description == bobPublic)
        let shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
        #expect(try hex(X25519.agree(secret(bytes(alice)), with: octets32(bobPublic))) == shared)
        #expect(try hex(X25519.agree(secret(bytes(bob)), with: octets32(alicePublic))) == shared)
    }

    @Test(arguments: lowOrderPoints)
    func `refuses a point of small order`(point: String) throws {
        let peer = try octets32(point)
        #expect(throws: KeyAgreementError.lowOrderPoint) { _ = try X25519.agree(secret(bytes(alice)), with: peer) }
        #expect(X25519.fault(of: peer) == .lowOrder)
    }

    @Test(arguments: nonCanonicalPoints)
    func `detects a key that is not canonical`(point: String) throws {
        #expect(X25519.fault(of: try octets32(point)) == .nonCanonical)
    }

    @Test func `accepts ordinary keys and a key just below the largest canonical number`() throws {
        #expect(X25519.fault(of: try octets32(alicePublic)) == nil)
        #expect(
            X25519.fault(of: try octets32("ebffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")) == nil)
    }

    @Test func `refuses a private key of another length`() throws {
        let peer = try octets32(bobPublic)
        #expect(throws: KeyAgreementError.lowOrderPoint) { _ = try X25519.agree(secret([1, 2, 3]), with: peer) }
    }
}

import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `An identity` {
    // RFC 8032, section 7.1, test 2.
    private let seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
    private let signature = """
        92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
        387b2eaeb4302aeeb00d291612bb0c00
        """

    private func isValid(_ signature: [UInt8], _ message: [UInt8], _ key: Octets32) -> Bool {
        isValidSignature(signature.span, of: message.span, by: key)
    }

    @Test func `creates the published signature`() {
        let identity = IdentityKey(seed: secret(bytes(seed)))
        #expect(
            identity.publicKey.description == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
        #expect(hex(identity.sign([0x72].span)) == signature)
    }

    @Test func `verifies its own signature and rejects any change`() {
        let identity = IdentityKey(seed: secret(bytes(seed)))
        let good = bytes(signature)
        #expect(isValid(good, [0x72], identity.publicKey))
        for place in good.indices {
            let bad = good.replacing(at: place, with: [good[place] ^ 1])
            #expect(!isValid(bad, [0x72], identity.publicKey))
        }
        #expect(!isValid(good, [0x73], identity.publicKey))
        #expect(!isValid(good, [], identity.publicKey))
        #expect(!isValid(good, [0x72], Person(9).identity.publicKey))
        for count in [0, 63, 65] {
            #expect(!isValid([UInt8](repeating: 0, count: count), [0x72], identity.publicKey))
        }
    }

    @Test func `is derived from a seed of 32 bytes and a generation`() throws {
        let isShortSeedAccepted = RootSeed(secret([UInt8](repeating: 1, count: 31))) != nil
        #expect(!isShortSeedAccepted)
        let seed = try unwrap(RootSeed(secret([UInt8](repeating: 1, count: 32))))
        let keys = [
            seed.identityKey(generation: 1).publicKey, seed.identityKey(generation: 2).publicKey,
            seed.presenceKey(generation: 1).publicKey, seed.presenceKey(generation: 2).publicKey,
        ]
        #expect(Set(keys).count == 4)
        #expect(seed.identityKey(generation: 1).publicKey == keys[0])
        var generator = SeededGenerator(seed: 5)
        let drawn = RootSeed(from: &generator)
        #expect(drawn.withBytes { $0.count } == 32)
        #expect(drawn.identityKey(generation: 1).publicKey != keys[0])
    }

    @Test func `has a hash of its key as user id`() {
        let key = Person(1).identity.publicKey
        let expected = sha256 { input in
            input.append("inkling/1 user-id")
            input.append(u8: 0)
            input.append(key)
        }
        #expect(UserID(identity: key).octets == expected.first)
        #expect(UserID(identity: key) != Person(2).userID)
    }
}

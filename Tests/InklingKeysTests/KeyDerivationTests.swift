import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `Key derivation` {
    // RFC 5869, appendix A.1 to A.3.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        (
            hex([UInt8](0x00...0x4f)), hex([UInt8](0x60...0xaf)), hex([UInt8](0xb0...0xff)),
            """
            b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
            da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
            """
        ),
        (
            String(repeating: "0b", count: 22), "", "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ])
    func `full HKDF returns the published keys`(material: String, salt: String, info: String, key: String) throws {
        let (material, salt, info) = (bytes(material), bytes(salt), bytes(info))
        let output = hkdfSHA256(
            inputKeyMaterial: material.span, salt: salt.span, info: info.span, count: key.utf8.count / 2)
        #expect(try hex(unwrap(output)) == key)
    }

    @Test func `full HKDF returns at most 255 blocks`() throws {
        let none = [UInt8]()
        func count(_ wanted: Int) -> Int? {
            hkdfSHA256(inputKeyMaterial: none.span, salt: none.span, info: none.span, count: wanted)?.count
        }
        #expect(count(0) == 0)
        #expect(count(8160) == 8160)
        #expect(count(8161) == nil)
        #expect(count(-1) == nil)
    }

    @Test func `a key with a label is one block of HKDF-Expand`() throws {
        let key = secret([UInt8](1...32))
        let material = secret([UInt8](1...32))
        // There is no function for Expand alone, so the expected value is computed from its definition.
        let info = Array("inkling/1".utf8) + [0] + Array("pair-root".utf8) + [0, 5, 6]
        let expected = material.withBytes { hmacSHA256(key: $0) { $0.append((info + [1]).span) } }
        let derived = derive(DerivationLabel.pairRoot, from: key) { $0.append([5, 6].span) }
        #expect(hex(derived) == hex(expected))
        #expect(hex(derive(label: Array("pair-root".utf8), from: key, context: [5, 6])) == hex(expected))
    }

    @Test func `different labels, contexts or keys yield different results`() {
        let key = secret([UInt8](1...32))
        let outputs = [
            hex(derive(DerivationLabel.mdnsKey, from: key)),
            hex(derive(DerivationLabel.beaconKey, from: key)),
            hex(derive(DerivationLabel.mdnsKey, from: key) { $0.append(u8: 0) }),
            hex(derive(DerivationLabel.mdnsKey, from: key) { $0.append(u8: 1) }),
            hex(derive(DerivationLabel.mdnsKey, from: secret([UInt8](2...33)))),
        ]
        #expect(Set(outputs).count == outputs.count)
    }

    @Test func `extraction uses the salt as the HMAC key`() {
        let salt = Array("inkling/1 invitation".utf8)
        let expected = hmacSHA256(key: salt.span) { $0.append([1, 2, 3].span) }
        #expect(hex(extract(salt: DerivationLabel.invitationSalt, from: [1, 2, 3].span)) == hex(expected))
    }
}

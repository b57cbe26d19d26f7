import InklingKeys
import InklingTesting
import Testing

@testable import InklingVault

/// Values that a test supplies as random bytes.
private struct Fixed: RandomNumberGenerator {
    let byte: UInt8
    mutating func next() -> UInt64 { UInt64(byte) * 0x0101_0101_0101_0101 }
}

private func anchor() -> MessageStoreAnchor {
    let bytes = (0..<32).map { UInt8($0) }
    let key = SecretBytes(copying: bytes.span)
    return MessageStoreAnchor(key: SecretBox(key), mark: 5, floor: 0)
}

private let user = UserID(Octets16(high: 1, low: 2))

@Suite struct `Seal of a message store` {
    @Test func `the example of the specification`() throws {
        let seal = StoreSeal(anchor())
        var random = Fixed(byte: 3)
        let place = MessagePlace(.queued, contact: user, device: .first, number: 7)
        let row = try seal.seal(Array("hello".utf8), at: place, from: &random)
        #expect(row.name.description == "fc6b1c46b07300df5aad32feb03f1b01")
        #expect(
            hex(row.sealed)
                == "0303030303030303030303030303030303030303030303034dc61da539a058a4"
                + "6b11db2b649773fe30750ebcd0023b95844eb0d6f62b55bd525f9e803d14f42d753ff5e818abf3")
        #expect(
            seal.share(of: row).description == "d0c6220c50e023cf25c69cb44ba545fac184626a32062f8a59767aa671f16f32")
        #expect(seal.open(row)?.place == place)
        #expect(seal.open(row)?.body == Array("hello".utf8))
        var head = StoreHead(mark: 5)
        for _ in 0..<3 { head.advance() }
        #expect(
            hex(seal.headFile(of: head))
                == "89494e4b530d0a1a000000000000000302533fd6b16be080975d940bee757f5a9d96a0bb564095b8bde02c570dd8e122"
                + "0d4531ceb7286b629d40860a8f4460efcb5ce601c8600a3c0014f6b764649661")
        #expect(seal.generation(ofHeadFile: seal.headFile(of: head)) == 3)
    }

    @Test func `a row under the name of another, or with any flipped bit, does not open`() throws {
        let seal = StoreSeal(anchor())
        var random = SeededGenerator(seed: 2)
        let rows = try (UInt64(1)...2).map { number in
            try seal.seal(
                [1, 2], at: MessagePlace(.received, contact: user, device: .first, number: number), from: &random)
        }
        #expect(seal.open(StoreSeal.Row(name: rows[1].name, sealed: rows[0].sealed)) == nil)
        for index in rows[0].sealed.indices {
            for bit in 0..<8 {
                var changed = rows[0].sealed
                changed[index] ^= 1 << UInt8(bit)
                #expect(seal.open(StoreSeal.Row(name: rows[0].name, sealed: changed)) == nil)
            }
        }
        for count in rows[0].sealed.indices {
            #expect(seal.open(StoreSeal.Row(name: rows[0].name, sealed: Array(rows[0].sealed[..<count]))) == nil)
        }
    }
}

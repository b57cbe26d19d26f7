import InklingTesting
import Testing

@testable import InklingKeys

private struct Refused: Error {}

@Suite struct `Secret bytes` {
    @Test func `contain the copied bytes`() {
        #expect(hex(secret([1, 2, 3])) == "010203")
        #expect(secret([]).count == 0)
        #expect(secret([]).withBytes { $0.isEmpty })
    }

    @Test func `are zero before they are filled in place`() {
        #expect(hex(SecretBytes(count: 4) { $0[1] = 9 }) == "00090000")
    }

    @Test func `are drawn from the given generator`() {
        var first = SeededGenerator(seed: 1)
        var second = SeededGenerator(seed: 1)
        let one = SecretBytes(count: 32, from: &first)
        #expect(hex(one) == hex(SecretBytes(count: 32, from: &second)))
        #expect(hex(one) != hex(SecretBytes(count: 32, from: &second)))
    }

    @Test func `take the lowest byte of each number that a generator draws`() {
        struct Counting: RandomNumberGenerator {
            var number: UInt64 = 0x0102_0304_0506_0700

            mutating func next() -> UInt64 {
                number += 1
                return number
            }
        }
        var generator = Counting()
        #expect(hex(SecretBytes(count: 10, from: &generator)) == "0102030405060708090a")
    }

    @Test(arguments: [0, 1, 7, 8, 9, 32, 33])
    func `are random in every place when they are drawn`(count: Int) {
        var generator = SeededGenerator(seed: 38)
        var seen = [Set<UInt8>](repeating: [], count: count)
        for _ in 0..<8192 {
            SecretBytes(count: count, from: &generator).withBytes { bytes in
                for place in bytes.indices { seen[place].insert(bytes[place]) }
            }
        }
        #expect(seen.count == count && seen.allSatisfy { $0.count == 256 })
    }

    @Test func `can be changed in place`() {
        var bytes = secret([1, 2])
        bytes.withMutableBytes { $0[0] = 7 }
        #expect(hex(bytes) == "0702")
    }

    @Test func `equal the same bytes, and none that differ in one bit or in length`() {
        let bytes = [UInt8](0..<32)
        let owner = secret(bytes)
        func equals(_ other: [UInt8]) -> Bool { owner.equals(secret(other)) }
        #expect(equals(bytes))
        for place in bytes.indices {
            for bit in 0..<8 { #expect(!equals(bytes.replacing(at: place, with: [bytes[place] ^ 1 << bit]))) }
        }
        #expect(!equals(bytes.dropLast()))
        #expect(!equals(bytes + [0]))
        let areEmptyEqual = secret([]).equals(secret([]))
        #expect(areEmptyEqual)
    }

    @Test func `throw the error of the closure that fills them`() {
        #expect(throws: Refused.self) {
            _ = try SecretBytes(count: 32) { (_: inout MutableSpan<UInt8>) throws(Refused) in throw Refused() }
        }
    }

    #if os(Linux) && DEBUG
        /// Covers INK-KEY-029.
        @Test func `exist once in memory during their lifetime and not at all afterwards`() {
            let needle = Needle(seed: 1)
            #expect(needle.copies() == 0)
            do {
                let bytes = needle.secret()
                #expect(needle.copies() == 1)
                #expect(bytes.count == 32)
            }
            #expect(needle.copies() == 0)
        }

        @Test func `exist once in memory after they are moved and boxed`() {
            let needle = Needle(seed: 2)
            do {
                let first = needle.secret()
                let moved = first
                let box = SecretBox(moved)
                let shared = [box, box]
                #expect(needle.copies() == 1)
                #expect(shared.count == 2)
            }
            #expect(needle.copies() == 0)
        }

        @Test func `are wiped if filling them fails half-way`() {
            let needle = Needle(seed: 3)
            #expect(throws: Refused.self) {
                _ = try SecretBytes(count: 32) { (view: inout MutableSpan<UInt8>) throws(Refused) in
                    needle.write(to: &view)
                    throw Refused()
                }
            }
            #expect(needle.copies() == 0)
        }

        @Test func `exist twice in memory only during the lifetime of a duplicate`() {
            let needle = Needle(seed: 4)
            let bytes = needle.secret()
            do {
                let second = bytes.duplicate()
                #expect(needle.copies() == 2)
                #expect(second.count == bytes.count)
            }
            #expect(needle.copies() == 1)
            #expect(bytes.count == 32)
        }

        @Test func `leave no copy in memory when they are used for a derivation, an agreement or a signature`() {
            let needle = Needle(seed: 5)
            let bytes = needle.secret()
            #expect(derive(DerivationLabel.pairPSK, from: bytes).count == 32)
            #expect(needle.copies() == 1)
            #expect(X25519.publicKey(of: bytes) != X25519.publicKey(of: secret([UInt8](repeating: 1, count: 32))))
            #expect(needle.copies() == 1)
            do {
                let identity = IdentityKey(seed: bytes.duplicate())
                #expect(identity.sign([1, 2, 3].span).count == 64)
                // The private key in the format of libsodium begins with the seed.
                #expect(needle.copies() == 2)
            }
            #expect(needle.copies() == 1)
            #expect(bytes.count == 32)
        }
    #endif
}

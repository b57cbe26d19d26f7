import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `Octets` {
    private let sixteen = [UInt8](0xf0...0xff)
    private let thirtyTwo = [UInt8](0xe0...0xff)

    @Test func `are created only from the right number of bytes`() {
        #expect(Octets16(sixteen.span)?.description == hex(sixteen))
        #expect(Octets32(thirtyTwo.span)?.description == hex(thirtyTwo))
        for count in [0, 15, 17, 31, 33] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(Octets16(bytes.span) == nil)
            #expect(Octets32(bytes.span) == nil)
        }
    }

    @Test func `return the bytes from which they were created`() throws {
        let octets = try octets32(hex(thirtyTwo))
        #expect(octets.withBytes { hex($0) } == hex(thirtyTwo))
        #expect(octets == Octets32(InlineArray<32, UInt8> { thirtyTwo[$0] }))
        var sink: [UInt8] = []
        sink.append(octets)
        sink.append(octets.first)
        #expect(sink == thirtyTwo + thirtyTwo.prefix(16))
    }

    @Test func `are ordered as byte strings`() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let place = Int.random(in: 0..<32, using: &generator)
            let base = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let other = base.replacing(at: place, with: [UInt8.random(in: 0...255, using: &generator)])
            let isLess = base.lexicographicallyPrecedes(other)
            guard let left = Octets32(base.span), let right = Octets32(other.span) else {
                Issue.record("32 bytes were rejected")
                return
            }
            #expect((left < right) == isLess)
            #expect((left.first < right.first) == base[..<16].lexicographicallyPrecedes(other[..<16]))
            #expect((left == right) == (base == other))
        }
    }

    @Test func `print leading zeros`() {
        #expect(Octets16(high: 1, low: 0).description == "00000000000000010000000000000000")
    }
}

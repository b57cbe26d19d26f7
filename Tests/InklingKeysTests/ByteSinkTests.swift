import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `Appending to a byte sink` {
    @Test func `writes numbers in big-endian order`() {
        var sink: [UInt8] = []
        sink.append(u8: 0x01)
        sink.append(u16: 0x0203)
        sink.append(u32: 0x0405_0607)
        sink.append(u64: 0x0809_0a0b_0c0d_0e0f)
        #expect(sink == [UInt8](1...15))
    }

    @Test(
        arguments: [
            (0, "0"), (1, "1"), (9, "9"), (10, "10"), (99, "99"), (100, "100"), (1_984_000, "1984000"),
            (4_194_303, "4194303"), (.max, "4294967295"),
        ] as [(UInt32, String)])
    func `writes decimal digits without a sign or leading zeros`(value: UInt32, digits: String) {
        var sink: [UInt8] = []
        sink.append(decimal: value)
        #expect(sink == Array(digits.utf8))
    }

    @Test func `writes a label without a terminator, and no zeros for a negative count`() {
        var sink: [UInt8] = []
        sink.append(DerivationLabel.prefix)
        sink.append(zeros: 2)
        sink.append(zeros: -1)
        #expect(sink == Array("inkling/1".utf8) + [0, 0])
    }

    @Test func `gives the same bytes to a hash, a writer and an array`() {
        func write(_ sink: inout some ByteSink & ~Copyable) {
            sink.append("label")
            sink.append(u32: 7)
            sink.append(decimal: 1234)
        }
        var array: [UInt8] = []
        write(&array)
        var writer = SecretWriter()
        write(&writer)
        #expect(writer.withBytes { hex($0) } == hex(array))
        #expect(sha256 { write(&$0) } == sha256 { $0.append(array.span) })
    }
}

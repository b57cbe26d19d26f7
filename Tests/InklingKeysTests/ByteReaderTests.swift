import Testing

@testable import InklingKeys

@Suite struct ByteReaderTests {
    @Test func `reads big-endian numbers from left to right`() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        var fields = ByteReader()
        #expect(fields.u8(of: bytes.span) == 1)
        #expect(fields.u16(of: bytes.span) == 0x0203)
        #expect(fields.u32(of: bytes.span) == 0x0405_0607)
        #expect(fields.u64(of: bytes.span) == 0x0809_0a0b_0c0d_0e0f)
        #expect(fields.remaining(of: bytes.span) == 0)
    }

    @Test func `reading past the end returns nil and does not move the position`() {
        let bytes: [UInt8] = [1, 2, 3]
        var fields = ByteReader(at: 1)
        #expect(fields.u32(of: bytes.span) == nil)
        #expect(fields.skip(-1, of: bytes.span) == nil)
        #expect(fields.octets16(of: bytes.span) == nil)
        #expect(fields.offset == 1)
        #expect(fields.u16(of: bytes.span) == 0x0203)
        var beyond = ByteReader(at: 9)
        #expect(beyond.u8(of: bytes.span) == nil)
        #expect(beyond.skip(0, of: bytes.span) == nil)
    }
}

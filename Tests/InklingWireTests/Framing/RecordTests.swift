import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

private func secret(_ bytes: [UInt8]) -> SecretBytes { SecretBytes(copying: bytes.span) }

private func plaintext(_ type: RecordType, _ body: [UInt8]) throws -> [UInt8] {
    try Record(type, body: secret(body)).encoded().withBytes { bytes in bytes.indices.map { bytes[$0] } }
}

@Suite struct `Records` {
    @Test(arguments: [
        (0, 96), (93, 96), (94, 256), (253, 256), (254, 512), (509, 512), (510, 768), (16_381, 16_384),
        (16_382, 16_640),
        (16_384, 16_640),
    ])
    func `a record is padded to the smallest permitted size`(body: Int, size: Int) throws {
        let content = (0..<body).map { UInt8(truncatingIfNeeded: $0 | 1) }
        let bytes = try plaintext(.card, content)
        #expect(bytes.count == size)
        #expect(bytes.allSatisfy { $0 == 0 } == false)
        #expect(bytes[(3 + body)...].allSatisfy { $0 == 0 })
        let record = try Record(parsing: bytes.span)
        #expect(record.type == .card)
        #expect(record.withBody { hex($0) } == hex(content))
    }

    @Test func `a record is not created with a body above the limit`() {
        #expect(throws: RecordError.tooLong) {
            _ = try Record(.state, body: secret([UInt8](repeating: 0, count: 16_385)))
        }
        #expect(throws: RecordError.tooLong) {
            _ = try Record(.state, copying: [UInt8](repeating: 0, count: 16_385).span)
        }
    }

    @Test(arguments: [0, 1, 93, 94, 1024, 16_384])
    func `a record of bytes is that of a secret with the same bytes`(count: Int) throws {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let record = try Record(.state, copying: body.span)
        #expect(hex(try plaintext(.state, body)) == record.encoded().withBytes { hex($0) })
        #expect(hex(body) == record.withBody { hex($0) })
    }

    @Test(arguments: [0, 95, 97, 255, 257, 16_641, 16_896])
    func `a plaintext of an invalid size is refused`(count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(throws: RecordError.wrongLength) { _ = try Record(parsing: bytes.span) }
    }

    @Test(arguments: [(96, 94), (256, 0), (256, 93), (256, 254), (512, 253), (16_640, 16_385), (96, 65_535)])
    func `a length field that does not match the padded size is refused`(size: Int, length: Int) {
        var bytes = [UInt8](repeating: 0, count: size)
        bytes[1] = UInt8(length >> 8)
        bytes[2] = UInt8(length & 0xff)
        #expect(throws: RecordError.badLength) { _ = try Record(parsing: bytes.span) }
    }

    @Test(arguments: [4, 50, 95])
    func `padding that is not zero is refused`(index: Int) throws {
        var bytes = try plaintext(.close, [1])
        bytes[index] = 1
        #expect(throws: RecordError.nonzeroPadding) { _ = try Record(parsing: bytes.span) }
    }

    @Test func `types 0x10 to 0x1f belong to synchronisation, and unknown types are parsed`() throws {
        #expect((0...255).filter { RecordType(rawValue: $0).isSynchronisation } == Array(0x10...0x1f))
        let bytes = try plaintext(RecordType(rawValue: 0xee), [5])
        #expect(try Record(parsing: bytes.span).type.rawValue == 0xee)
    }
}

@Suite struct `A HELLO` {
    private let body = "00000003 00000002 02 1112131415161718 00000001 00079180 2122232425262728 00000009 000fffff"

    @Test func `lists the cards and grants that a side holds`() throws {
        let hello = try Hello(
            ownSerial: 3, peerSerial: 2,
            grants: [
                Hello.GrantReport(
                    audience: AudienceID(0x1112_1314_1516_1718), generation: 1, to: try #require(Period(496_000))),
                Hello.GrantReport(audience: AudienceID(0x2122_2324_2526_2728), generation: 9, to: .last),
            ])
        #expect(hello.record.withBody { hex($0) } == hex(bytes(body)))
        #expect(try Hello(parsing: bytes(body).span) == hello)
    }

    @Test(arguments: [
        ("00000003 00000002", HelloError.truncated), ("00000003 00000002 06", .tooMany),
        ("00000003 00000002 01", .wrongLength), ("00000003 00000002 00 00", .wrongLength),
        ("00000000 00000002 00", .outOfRange),
        ("00000003 00000002 01 1112131415161718 00000000 00079180", .outOfRange),
        ("00000003 00000002 01 1112131415161718 00000001 00100000", .outOfRange),
        (
            "00000003 00000002 02 1112131415161718 00000001 00079180 1112131415161718 00000002 00079180",
            .repeatedAudience
        ),
    ])
    func `is refused if it is malformed`(body: String, error: HelloError) {
        #expect(throws: error) { try Hello(parsing: bytes(body).span) }
    }
}

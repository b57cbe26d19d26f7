import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `A secret writer` {
    @Test func `keeps all appended bytes, whatever its initial capacity`() {
        for capacity in [0, 1, 3, 256] {
            var writer = SecretWriter(capacity: capacity)
            for byte in UInt8(0)..<100 { writer.append(u8: byte) }
            writer.append([200, 201].span)
            writer.append([UInt8]().span)
            #expect(writer.count == 102)
            #expect(hex(writer.finish()) == hex([UInt8](0..<100) + [200, 201]))
        }
    }

    @Test func `passes only the written bytes to the closure`() {
        var writer = SecretWriter(capacity: 64)
        writer.append(u16: 0x0102)
        #expect(writer.withBytes { hex($0) } == "0102")
        #expect(hex(SecretWriter().finish()).isEmpty)
    }

    #if os(Linux) && DEBUG
        @Test func `wipes the memory that it has outgrown`() {
            let needle = Needle(seed: 11)
            do {
                var writer = SecretWriter(capacity: 32)
                do {
                    let bytes = needle.secret()
                    bytes.withBytes { writer.append($0) }
                }
                #expect(needle.copies() == 1)
                writer.append(zeros: 1000)
                #expect(needle.copies() == 1)
                let finished = writer.finish()
                #expect(needle.copies() == 1)
                #expect(finished.count == 1032)
            }
            #expect(needle.copies() == 0)
        }
    #endif
}

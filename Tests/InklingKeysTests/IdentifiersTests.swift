import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `A service name` {
    private func parse(_ label: String) -> String? { OpaqueServiceName(parsing: Array(label.utf8).span)?.description }

    @Test func `is parsed from 32 lowercase digits and printed as the same digits`() {
        #expect(parse("ee86ffa399825968e402a6832c863656") == "ee86ffa399825968e402a6832c863656")
        #expect(parse("00000000000000000000000000000000") == "00000000000000000000000000000000")
    }

    /// Covers INK-ID-016.
    @Test(arguments: [
        "", "ee86ffa399825968e402a6832c86365", "ee86ffa399825968e402a6832c8636560", "EE86FFA399825968E402A6832C863656",
        "ge86ffa399825968e402a6832c863656", "ee86ffa399825968e402a6832c86365 ", "ee86ffa3-9825968e402a6832c863656a",
        "éé86ffa399825968e402a6832c8636",
    ])
    func `is not parsed from anything else`(label: String) {
        #expect(parse(label) == nil)
    }

    @Test func `is parsed only if every byte is a digit`() {
        let digits = Array("0123456789abcdef".utf8)
        let name = Array("ee86ffa399825968e402a6832c863656".utf8)
        for place in name.indices {
            for byte in UInt8.min...UInt8.max {
                let label = name.replacing(at: place, with: [byte])
                let read = OpaqueServiceName(parsing: label.span)
                #expect(read.map { Array($0.description.utf8) } == (digits.contains(byte) ? label : nil))
            }
        }
    }

    @Test func `is parsed from its own description`() {
        var generator = SeededGenerator(seed: 32)
        for _ in 0..<2000 {
            let name = OpaqueServiceName(Octets16(high: generator.next(), low: generator.next()))
            #expect(OpaqueServiceName(parsing: Array(name.description.utf8).span) == name)
        }
    }

    @Test func `differs from every name in which one digit differs`() {
        let name = Array("ee86ffa399825968e402a6832c863656".utf8)
        let original = OpaqueServiceName(parsing: name.span)
        for place in name.indices {
            let other: UInt8 = name[place] == 0x30 ? 0x31 : 0x30
            #expect(OpaqueServiceName(parsing: name.replacing(at: place, with: [other]).span) != original)
        }
    }
}

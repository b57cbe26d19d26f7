import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

@Suite struct `Writing secrets` {
    @Test func `growing keeps the bytes in order across every size`() {
        var writer = SecretWriter(capacity: 0)
        var expected: [UInt8] = []
        for count in [0, 1, 63, 1, 64, 129, 4096, 7] {
            let part = (0..<count).map { UInt8(truncatingIfNeeded: expected.count + $0) }
            writer.append(part.span)
            expected += part
            #expect(writer.count == expected.count)
        }
        #expect(writer.withBytes { hex($0) } == hex(expected))
    }
}

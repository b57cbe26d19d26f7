import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

private func header(
    _ method: VaultKey.Method = .passphrase, _ clock: VaultClock = .real
) -> VaultHeader {
    var header = VaultHeader(
        method: method, clock: clock, cost: method == .passphrase ? .moderate : nil, salt: octets(1).first)
    header.wrapNonce = [UInt8](repeating: 2, count: 24)
    header.wrappedKey = [UInt8](repeating: 3, count: 48)
    header.contentsNonce = [UInt8](repeating: 4, count: 24)
    header.contentsByteCount = 5
    return header
}

/// Replaces bytes of a header and computes its check again.
private func checked(_ bytes: [UInt8], _ changes: [Int: UInt8]) -> [UInt8] {
    var bytes = bytes
    for (index, value) in changes { bytes[index] = value }
    var front = Array(bytes[..<155])
    let check = sha256 { $0.append(front.span) }.first
    front.append(check)
    return front
}

private func parsingFault(_ bytes: [UInt8]) -> VaultError.Fault? {
    do throws(VaultError.Fault) {
        _ = try VaultHeader(parsing: bytes.span)
        return nil
    } catch {
        return error
    }
}

@Suite struct `Header of a vault` {
    @Test(arguments: [
        (VaultKey.Method.passphrase, VaultClock.real),
        (.keyFile, .accelerated(rate: 60, anchor: 1_785_600_000_000)),
        (.systemCredential, .real),
    ])
    func `a header can be written and parsed again`(method: VaultKey.Method, clock: VaultClock) throws {
        let written = header(method, clock)
        #expect(written.bytes.count == VaultHeader.byteCount)
        #expect(try VaultHeader(parsing: written.bytes.span) == written)
    }

    @Test func `rejects any flipped bit`() {
        let bytes = header().bytes
        for index in bytes.indices {
            for bit in 0..<8 as Range<UInt8> {
                var changed = bytes
                changed[index] ^= 1 << bit
                let expected: VaultError.Fault =
                    switch index {
                    case 0..<8: .foreign
                    case 8 where changed[8] > 1: .newerVersion(found: UInt32(changed[8]))
                    default: .damaged(.header)
                    }
                #expect(parsingFault(changed) == expected)
            }
        }
    }

    /// Covers INK-VLT-022.
    @Test func `rejects a cost that is out of range`() {
        let bytes = header().bytes
        let cases: [([Int: UInt8], VaultError.Fault)] = [
            ([26: 0], .parametersOutOfRange(passes: 0, kibibytes: 262_144)),
            ([26: 11], .parametersOutOfRange(passes: 11, kibibytes: 262_144)),
            ([23: 255], .parametersOutOfRange(passes: 0xff00_0003, kibibytes: 262_144)),
            ([28: 0x10, 30: 1], .parametersOutOfRange(passes: 3, kibibytes: 1_048_577)),
            ([28: 0, 30: 7], .parametersOutOfRange(passes: 3, kibibytes: 7)),
        ]
        for (changes, fault) in cases { #expect(parsingFault(checked(bytes, changes)) == fault) }
        #expect(parsingFault(checked(bytes, [26: 10, 28: 0x10])) == nil)
        #expect(parsingFault(checked(bytes, [26: 1, 28: 0, 30: 8])) == nil)
    }

    @Test(arguments: [
        [9: 0], [9: 4], [10: 2], [10: 1], [14: 60], [22: 1], [10: 1, 14: 1], [10: 1, 13: 0x0e, 14: 0x11],
        [126: 0], [119: 0x80],
    ])
    func `rejects invalid fields even if the check is right`(changes: [Int: UInt8]) {
        #expect(parsingFault(checked(header().bytes, changes)) == .damaged(.header))
    }

    @Test func `rejects a cost in the header of a vault with a key file`() {
        #expect(parsingFault(checked(header(.keyFile).bytes, [26: 1])) == .damaged(.header))
    }

    /// Covers INK-VLT-003.
    @Test func `the cost of a new passphrase is at least two passes over 64 MiB`() throws {
        #expect(PassphraseCost(passes: 2, kibibytes: 65_536) == .floor)
        #expect(PassphraseCost(passes: 1, kibibytes: 65_536) == nil)
        #expect(PassphraseCost(passes: 2, kibibytes: 65_535) == nil)
        #expect(PassphraseCost(passes: 10, kibibytes: 1_048_576) != nil)
        #expect(PassphraseCost(passes: 11, kibibytes: 65_536) == nil)
        #expect(PassphraseCost.forTests.isBelowFloor)
        #expect(!PassphraseCost.moderate.isBelowFloor)
    }
}

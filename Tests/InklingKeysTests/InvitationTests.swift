import InklingTesting
import Testing

@testable import InklingKeys

@Suite struct `An invitation` {
    private let minute: UInt32 = 29_760_000

    private func invitation(minutes: UInt64 = 10, second: UInt64 = 0, transports: TransportSet = [.tcp]) throws
        -> Invitation
    {
        var generator = SeededGenerator(seed: 1)
        return Invitation(
            to: try Person(1).card(), transports: transports, lasting: .seconds(60) * min(minutes, 1 << 60),
            from: UInt64(minute) * 60 + second,
            using: &generator)
    }

    private func encoded(_ invitation: Invitation) -> [UInt8] {
        invitation.encoded().withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func refusal(_ bytes: [UInt8], minute: UInt32? = nil) -> InvitationError? {
        do {
            _ = try Invitation(parsing: bytes.span, minute: minute ?? self.minute)
            return nil
        } catch {
            return error
        }
    }

    @Test func `survives encoding and parsing`() throws {
        let written = try invitation(transports: [.gatt, .tcp])
        let bytes = encoded(written)
        #expect(bytes.count == Invitation.byteCount)
        let got = try Invitation(parsing: bytes.span, minute: minute)
        #expect(got.commitment == (try Person(1).card().commitment))
        #expect(hex(got.secret.value) == hex(written.secret.value))
        #expect(got.transports == [.gatt, .tcp])
        #expect(got.expiryMinute == minute + 10)
        #expect(encoded(got) == bytes)
    }

    /// Covers INK-INV-003.
    @Test(
        arguments: [(0, 0, 1), (1, 0, 1), (10, 0, 10), (11, 0, 10), (.max, 0, 10), (10, 1, 11), (10, 59, 11)]
            as [(UInt64, UInt64, UInt32)])
    func `ends one to ten minutes after the next full minute`(minutes: UInt64, second: UInt64, life: UInt32) throws {
        #expect(try invitation(minutes: minutes, second: second).expiryMinute == minute + life)
    }

    @Test func `is refused with another length or version, or without a known transport`() throws {
        let bytes = encoded(try invitation())
        for count in 0..<55 { #expect(refusal([UInt8](bytes.prefix(count))) == .tooShort) }
        #expect(refusal(bytes + [0]) == .tooLong)
        #expect(refusal(bytes.replacing(at: 0, with: [0])) == .unknownVersion)
        #expect(refusal(bytes.replacing(at: 0, with: [2])) == .unknownVersion)
        for transports in [0x0000, 0x0002, 0xfff2] as [UInt16] {
            #expect(
                refusal(bytes.replacing(at: 49, with: [UInt8(transports >> 8), UInt8(transports & 0xff)]))
                    == .noTransport)
        }
        #expect(refusal(bytes.replacing(at: 49, with: [0xff, 0xff])) == nil)
    }

    /// Covers INK-INV-001.
    @Test func `has a different secret each time`() throws {
        var generator = SeededGenerator(seed: 8)
        let card = try Person(1).card()
        let secrets = Set(
            (0..<50).map { _ in
                hex(
                    Invitation(to: card, transports: .tcp, lasting: .seconds(300), from: 0, using: &generator).secret
                        .value)
            })
        #expect(secrets.count == 50)
        #expect(secrets.allSatisfy { $0.utf8.count == 64 })
    }

    /// Covers INK-INV-005.
    @Test func `is encoded without reserved transports`() throws {
        let every = TransportSet(rawValue: .max)
        #expect(try invitation(transports: every).transports == .known)
        #expect([UInt8](encoded(try invitation(transports: every))[49..<51]) == [0x00, 0x0d])
    }

    @Test func `is accepted if the reader's clock differs by at most two minutes`() throws {
        let bytes = encoded(try invitation(second: 59))
        #expect(refusal(bytes, minute: minute + 12) == nil)
        #expect(refusal(bytes, minute: minute + 13) == .ended)
        #expect(refusal(bytes, minute: minute - 2) == nil)
        #expect(refusal(bytes, minute: minute - 3) == .tooFar)
        #expect(refusal(bytes, minute: 0) == .tooFar)
        #expect(refusal(bytes, minute: .max) == .ended)
        #expect(refusal(bytes.replacing(at: 51, with: [0xff, 0xff, 0xff, 0xff]), minute: .max) == nil)
        #expect(refusal(bytes.replacing(at: 51, with: [0, 0, 0, 0]), minute: 1) == nil)
        #expect(refusal(bytes.replacing(at: 51, with: [0, 0, 0, 0]), minute: 2) == .ended)
    }

    @Test func `yields the published keys`() throws {
        let keys = InvitationKeys(secret: secret([UInt8](0x40...0x5f)))
        #expect(hex(keys.psk0) == "7ebaeb70e821bb3c2f10c50c59ac16f23ae4d6042e3f04bd0e035ec0a3c8da0e")
        let all = [hex(keys.psk0), hex(keys.psk3), hex(keys.gateKey), hex(keys.root)]
        #expect(Set(all).count == 4)
        let tree = AudienceTree(root: keys.root.duplicate())
        let key = try unwrap(tree.periodKey(try period(examplePeriod)))
        #expect(
            key.deviceKeys(.first).mdns.serviceName(try epoch(1_984_000)).description
                == "a4386001eceeb27ec0d40598e9ef6ea2")
    }

    @Test func `yields the same keys for inviter and joiner`() throws {
        let written = try invitation()
        let got = try Invitation(parsing: encoded(written).span, minute: minute)
        #expect(hex(got.keys().psk3) == hex(written.keys().psk3))
    }
}

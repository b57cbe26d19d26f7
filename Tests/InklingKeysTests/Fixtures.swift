import InklingTesting

@testable import InklingKeys

/// The audience tree of the published examples.
func exampleTree() -> AudienceTree { AudienceTree(root: exampleRoot()) }

/// The audience root of the published examples: bytes 0x20…0x3f.
func exampleRoot() -> SecretBytes { secret([UInt8](0x20...0x3f)) }

func secret(_ bytes: [UInt8]) -> SecretBytes { SecretBytes(copying: bytes.span) }

func octets(_ secret: borrowing SecretBytes) -> Octets32? { secret.withBytes { Octets32($0) } }

func hex(_ secret: borrowing SecretBytes) -> String { secret.withBytes { hex($0) } }

func octets32(_ digits: String) throws -> Octets32 { try unwrap(Octets32(bytes(digits).span)) }

func period(_ number: UInt32) throws -> Period { try unwrap(Period(number)) }

func epoch(_ number: UInt32) throws -> Epoch { try unwrap(Epoch(number)) }

/// The period of the published examples, which begins at 2026-08-01T16:00Z.
let examplePeriod: UInt32 = 496_000

/// A user whose keys consist of one repeated number.
final class Person: Sendable {
    let identity: IdentityKey
    let presence: PresenceKey

    init(_ number: UInt8) {
        identity = IdentityKey(seed: secret([UInt8](repeating: number, count: 32)))
        presence = PresenceKey(secret([UInt8](repeating: number ^ 0x80, count: 32)))
    }

    var userID: UserID { UserID(identity: identity.publicKey) }

    /// Returns the certificate of a device, by default from the example period.
    func certificate(
        _ index: UInt8 = 0, from: UInt32 = examplePeriod, to: UInt32 = examplePeriod + 8927, isPrimary: Bool = true
    ) throws -> DeviceCertificate {
        try DeviceCertificate(
            index: try unwrap(DeviceIndex(index)),
            key: X25519.publicKey(of: secret([UInt8](repeating: index + 1, count: 32))),
            from: try period(from), to: try period(to), isPrimary: isPrimary, signedBy: identity)
    }

    func card(name: String = "Ada", serial: UInt32 = 1, certificates: [DeviceCertificate]? = nil) throws -> ContactCard
    {
        try ContactCard(
            identity: identity, generation: 1, serial: serial, presence: presence.publicKey,
            certificates: try certificates ?? [certificate()], name: name)
    }

    /// Returns a changed object with a new, valid signature at its end.
    func resigned(_ bytes: [UInt8], as label: StaticString) -> [UInt8] {
        let body = [UInt8](bytes.dropLast(64))
        var message: [UInt8] = []
        message.append(label)
        message.append(u8: 0)
        message += body
        return body + identity.sign(message.span)
    }
}

extension [UInt8] {
    /// Returns a copy with the bytes from `offset` replaced.
    func replacing(at offset: Int, with bytes: [UInt8]) -> [UInt8] {
        var changed = self
        changed.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return changed
    }
}

/// Points of small order, for which every clamped scalar yields zero, as RFC 7748 encodes them.
let lowOrderPoints = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]

/// Encodings of numbers that are not below p = 2^255 − 19: p, p + 1, and the largest one.
let nonCanonicalPoints = [
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]

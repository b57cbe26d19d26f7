import InklingKeys

@testable import InklingWire

/// A reproducible random number generator (SplitMix64), so that a failing run can be repeated from its seed.
struct Draws: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

/// A step of the rig itself failed, so that the run says nothing about the package.
struct RigFault: Error {
    let step: String
}

func need<Value>(_ value: Value?, _ step: String) throws -> Value {
    guard let value else { throw RigFault(step: step) }
    return value
}

/// Moments and keys that all attempts share.
enum Scene {
    static let milliseconds: UInt64 = 1_785_600_000_005
    static let unixSeconds: UInt64 = 1_785_600_000

    static func period() throws -> Period { try need(Period(496_000), "period") }

    // Not the first byte: its three lowest bits do not count.
    static func key(_ byte: UInt8) throws -> SecretBox<NoiseKeyPair> {
        guard let key = NoiseKeyPair(privateKey: SecretBytes(count: 32) { $0[1] = byte }) else {
            throw RigFault(step: "key")
        }
        return SecretBox(key)
    }

    static func secret(_ byte: UInt8) -> SecretBytes { SecretBytes(count: 32) { $0[0] = byte } }

    /// The context of a device in one of the four epochs of the period.
    static func context(quarter: UInt32, transport: Transport, device: UInt8 = 0, root: UInt8 = 0x20) throws
        -> ConfirmContext
    {
        let tree = AudienceTree(root: secret(root))
        let epoch = try need(Epoch(1_984_000 + quarter), "epoch")
        let index = try need(DeviceIndex(device), "device")
        guard let period = tree.periodKey(epoch.period) else { throw RigFault(step: "period key") }
        return ConfirmContext(period.deviceKeys(index), device: index, epoch: epoch, transport: transport)
    }

    /// The card of a user whose only device has this key.
    static func card(_ byte: UInt8, device: Octets32, name: String) throws -> ContactCard {
        let identity = IdentityKey(seed: secret(byte))
        let certificate = try DeviceCertificate(
            index: .first, key: device, from: period(), to: period(), isPrimary: true, signedBy: identity)
        return try ContactCard(
            identity: identity, generation: 1, serial: 1, presence: PresenceKey(secret(byte ^ 0x80)).publicKey,
            certificates: [certificate], name: name)
    }
}

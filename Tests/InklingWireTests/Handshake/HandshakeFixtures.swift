import InklingKeys
import InklingTesting
import Testing

@testable import InklingWire

/// 2026-08-01T16:00:00Z, the first second of epoch 1,984,000 and period 496,000.
let exampleSeconds: UInt64 = 1_785_600_000

func secret(_ byte: UInt8) -> SecretBytes { SecretBytes(copying: [UInt8](repeating: byte, count: 32).span) }

/// Returns the hexadecimal digits of a secret; the secrets of these tests are public.
func digits(_ secret: borrowing SecretBytes) -> String { secret.withBytes { hex($0) } }

func keyPair(_ byte: UInt8) throws -> NoiseKeyPair { try unwrap(NoiseKeyPair(privateKey: secret(byte))) }

func examplePeriod() throws -> Period { try #require(Period(496_000)) }

/// Returns the context of device 0 in the example audience (root bytes 20…3f), in one of the four epochs of the example
/// period.
func context(quarter: UInt32 = 0, transport: Transport = .tcp) throws -> ConfirmContext {
    let tree = AudienceTree(root: SecretBytes(copying: [UInt8](0x20...0x3f).span))
    let epoch = try #require(Epoch(1_984_000 + quarter))
    let period = try unwrap(tree.periodKey(epoch.period))
    return ConfirmContext(period.deviceKeys(.first), device: .first, epoch: epoch, transport: transport)
}

/// Returns the packet with one byte of its body changed.
func changed(_ packet: Packet, at index: Int) throws -> Packet {
    var body = packet.body
    body[index] ^= 0x01
    return try Packet(packet.type, body: body)
}

/// Returns the `HandshakeError` that a step throws; nil if it succeeds or throws another error.
func refusal<Result: ~Copyable>(_ step: () throws -> Result) -> HandshakeError? {
    do {
        _ = try step()
        return nil
    } catch {
        return error as? HandshakeError
    }
}

/// Returns the `SessionError` that a step throws; nil if it succeeds or throws another error.
func ending<Result: ~Copyable>(_ step: () throws -> Result) -> SessionError? {
    do {
        _ = try step()
        return nil
    } catch {
        return error as? SessionError
    }
}

/// A user with one device.
struct Person {
    let card: ContactCard
    let device: UInt8

    /// Creates a user whose identity seed and device key are `byte`, repeated 32 times.
    init(_ byte: UInt8, name: String) throws {
        device = byte
        let identity = IdentityKey(seed: secret(byte))
        let certificate = try DeviceCertificate(
            index: .first, key: keyPair(byte).publicKey, from: examplePeriod(), to: examplePeriod(), isPrimary: true,
            signedBy: identity)
        card = try ContactCard(
            identity: identity, generation: 1, serial: 1, presence: PresenceKey(secret(byte ^ 0x80)).publicKey,
            certificates: [certificate], name: name)
    }

    func deviceKey() throws -> NoiseKeyPair { try keyPair(device) }
}

func hello() throws -> Record { try Hello(ownSerial: 1, peerSerial: 0, grants: []).record }

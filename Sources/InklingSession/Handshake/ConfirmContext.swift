public import InklingKeys

/// What one device shows on one transport in one epoch, and the secrets behind it: both parties of a confirm handshake
/// must agree on all of it (`Specs/handshake.md`).
///
/// The device itself derives it from its own audience, an observer from the grant through which it recognised the
/// device, with the epoch of the value that it saw and not of its own clock.
public struct ConfirmContext: Sendable {
    /// The link technology.
    public let transport: Transport
    /// The epoch of the identifier.
    public let epoch: Epoch
    /// Which device of the user shows it.
    public let device: DeviceIndex
    /// The tag on GATT, the bytes of the service name otherwise.
    public let identifier: Octets16
    let preSharedKey: SecretBox<SecretBytes>
    let gateKey: SecretBox<SecretBytes>

    /// A context out of its parts; the keys have 32 bytes.
    public init(
        transport: Transport, epoch: Epoch, device: DeviceIndex, identifier: Octets16,
        preSharedKey: consuming SecretBytes, gateKey: consuming SecretBytes
    ) {
        self.transport = transport
        self.epoch = epoch
        self.device = device
        self.identifier = identifier
        self.preSharedKey = SecretBox(preSharedKey)
        self.gateKey = SecretBox(gateKey)
    }

    /// The context of a device's keys for the period that contains `epoch`.
    public init(_ keys: borrowing DeviceKeys, device: DeviceIndex, epoch: Epoch, transport: Transport) {
        self.init(
            transport: transport, epoch: epoch, device: device,
            identifier: transport == .gatt ? keys.gatt.tag(epoch).octets : keys.mdns.serviceName(epoch).octets,
            preSharedKey: keys.confirm.preSharedKey(epoch), gateKey: keys.confirm.gateKey(epoch))
    }

    /// The state of a party before message 1.
    func handshake(
        _ role: Role, deviceKey: borrowing NoiseKeyPair, responder: Octets32?,
        ephemeral: consuming NoiseKeyPair
    ) throws(HandshakeError) -> HandshakeState {
        let prologue = HandshakePrologue.confirm(
            transport: transport, epoch: epoch, device: device, identifier: identifier)
        return try .start(
            "Noise_IKpsk0+psk2_25519_ChaChaPoly_SHA256", role, prologue: prologue, deviceKey: deviceKey,
            remoteStatic: responder, ephemeral: ephemeral)
    }
}

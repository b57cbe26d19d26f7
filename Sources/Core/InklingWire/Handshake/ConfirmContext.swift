public import InklingKeys

/// The identifier that a device shows on a transport in an epoch, and the secrets of that epoch. Both parties of a
/// confirm handshake must have the same context (`Specs/handshake.md`).
///
/// The device derives it from its own audience. An observer derives it from the grant with which it recognised the
/// device, for the epoch of the identifier that it saw, which need not be the epoch on its own clock.
public struct ConfirmContext: Sendable {
    /// The transport of the link.
    public let transport: Transport
    /// The epoch of the identifier.
    public let epoch: Epoch
    /// The index of the device that shows the identifier.
    public let device: DeviceIndex
    /// The tag on GATT, and the bytes of the service name on other transports.
    public let identifier: Octets16
    let preSharedKey: SecretBox<SecretBytes>
    let gateKey: SecretBox<SecretBytes>

    /// Creates a context from its parts; the keys are 32 bytes long.
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

    /// Creates a context from the keys of a device for the period that contains `epoch`.
    public init(_ keys: borrowing DeviceKeys, device: DeviceIndex, epoch: Epoch, transport: Transport) {
        self.init(
            transport: transport, epoch: epoch, device: device,
            identifier: transport == .gatt ? keys.gatt.tag(epoch).octets : keys.mdns.serviceName(epoch).octets,
            preSharedKey: keys.confirm.preSharedKey(epoch), gateKey: keys.confirm.gateKey(epoch))
    }

    /// Returns the state of a party before message 1.
    func handshake(
        _ role: Role, deviceKey: borrowing NoiseKeyPair, responder: Octets32?,
        ephemeral: consuming NoiseKeyPair
    ) throws(HandshakeError) -> HandshakeState {
        let prologue = HandshakePrologue.confirm(
            transport: transport, epoch: epoch, device: device, identifier: identifier)
        return try .start(
            .confirm, role, prologue: prologue, deviceKey: deviceKey,
            remoteStatic: responder, ephemeral: ephemeral)
    }
}

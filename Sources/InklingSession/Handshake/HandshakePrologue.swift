package import InklingKeys

/// What an invitation leads to.
public enum InvitationUse: Sendable, CaseIterable {
    /// Two people become contacts.
    case firstContact
    /// A user adds a device.
    case deviceLink
}

/// What both parties must agree on before a handshake can succeed (`Specs/handshake.md`).
package enum HandshakePrologue {
    /// Binds a confirm handshake to what was on the air: it cannot be carried to another transport, epoch or device.
    package static func confirm(
        transport: Transport, epoch: Epoch, device: DeviceIndex, identifier: Octets16
    ) -> [UInt8] {
        var prologue = beginning(DerivationLabel.confirmPrologue, transport)
        prologue.append(u32: epoch.number)
        prologue.append(u8: device.number)
        prologue.append(identifier)
        return prologue
    }

    /// Binds a first contact or a device link to the card that the invitation announces.
    package static func invitation(_ use: InvitationUse, transport: Transport, commitment: Octets16) -> [UInt8] {
        var prologue = beginning(
            use == .firstContact ? DerivationLabel.firstContactPrologue : DerivationLabel.deviceLinkPrologue, transport)
        prologue.append(commitment)
        return prologue
    }

    /// The prologue of a sealed grant.
    package static func sealedGrant() -> [UInt8] {
        var prologue: [UInt8] = []
        prologue.append(DerivationLabel.sealedGrantPrologue)
        return prologue
    }

    private static func beginning(_ label: StaticString, _ transport: Transport) -> [UInt8] {
        var prologue: [UInt8] = []
        prologue.append(label)
        prologue.append(u8: 0)
        prologue.append(u8: 1)
        prologue.append(u8: transport.rawValue)
        return prologue
    }
}

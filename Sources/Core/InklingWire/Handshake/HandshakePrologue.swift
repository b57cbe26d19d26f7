package import InklingKeys

/// The handshake that an invitation is for.
public enum InvitationUse: Sendable, CaseIterable {
    /// The inviter and the joiner become contacts.
    case firstContact
    /// The joiner becomes a device of the inviter's user.
    case deviceLink
}

/// The prologues of the handshakes. A handshake succeeds only if both parties use the same prologue
/// (`Specs/handshake.md`).
package enum HandshakePrologue {
    /// Returns the prologue that binds a confirm handshake to the identifier that was shown, so that its messages
    /// cannot be relayed to another transport, epoch or device.
    package static func confirm(
        transport: Transport, epoch: Epoch, device: DeviceIndex, identifier: Octets16
    ) -> [UInt8] {
        var prologue = beginning(DerivationLabel.confirmPrologue, transport)
        prologue.append(u32: epoch.number)
        prologue.append(u8: device.number)
        prologue.append(identifier)
        return prologue
    }

    /// Returns the prologue that binds a first contact or a device link to the card whose commitment is in the
    /// invitation.
    package static func invitation(_ use: InvitationUse, transport: Transport, commitment: Octets16) -> [UInt8] {
        var prologue = beginning(
            use == .firstContact ? DerivationLabel.firstContactPrologue : DerivationLabel.deviceLinkPrologue, transport)
        prologue.append(commitment)
        return prologue
    }

    /// Returns the prologue of a sealed grant.
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

public import InklingKeys

/// The number of a contact within one run of a program.
///
/// It is small because tables hold it many times. The program assigns the numbers and maps them to `UserID`s; a number
/// has no meaning outside that run.
public struct ContactID: RawRepresentable, Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// Any number that no other contact has in the same run.
    public let rawValue: UInt32

    /// Creates the id with this number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The id in words, for a log: `contact 7`.
    public var description: String { "contact \(rawValue)" }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The audience under which a contact shows itself to this device's user.
public enum HeldAudience: Hashable, Sendable, Codable {
    /// A group audience of the contact, with the id in its grant.
    case granted(AudienceID)
    /// The pair audience of the contact and this device's user (`Specs/pair-audiences.md`).
    case pair
}

/// An expected sighting: this device of this contact shows itself under this audience during this epoch.
public struct Prediction: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The contact to whom the value belongs; another device can show a copy.
    public let contact: ContactID
    /// The contact's device.
    public let device: DeviceIndex
    /// The audience whose keys a handshake needs.
    public let audience: HeldAudience
    /// The epoch whose keys a handshake needs: that of the value, not of the observer's clock.
    public let epoch: Epoch

    /// Creates a prediction.
    @inlinable
    public init(contact: ContactID, device: DeviceIndex, audience: HeldAudience, epoch: Epoch) {
        self.contact = contact
        self.device = device
        self.audience = audience
        self.epoch = epoch
    }

    /// The device, the contact and the epoch in words, for a log.
    public var description: String { "device \(device) of \(contact) in epoch \(epoch)" }
}

/// The keys that this device's user holds for one audience of a contact.
public struct HeldGrant: Sendable {
    /// The audience of the keys.
    public let audience: HeldAudience
    /// The contact's devices that show themselves under the audience, ascending.
    public let devices: [DeviceIndex]
    /// The nodes of the audience tree from which period keys are derived.
    public let tree: SecretBox<AudienceTree>

    /// Creates the held form of a grant, for every device that the grant certifies.
    public init(_ grant: Grant) {
        self.init(
            audience: .granted(grant.audience), devices: grant.certificates.map(\.index), tree: grant.tree)
    }

    /// Creates the keys of an audience for these devices, which must be ascending.
    public init(audience: HeldAudience, devices: [DeviceIndex], tree: SecretBox<AudienceTree>) {
        self.audience = audience
        self.devices = devices
        self.tree = tree
    }

    /// Creates the keys of an audience for the devices in a bitmap, in which bit n stands for device n.
    public init(audience: HeldAudience, deviceBitmap: UInt16, tree: SecretBox<AudienceTree>) {
        let devices = (0..<DeviceIndex.limit).filter { deviceBitmap >> UInt16($0) & 1 == 1 }.compactMap(
            DeviceIndex.init)
        self.init(audience: audience, devices: devices, tree: tree)
    }
}

/// A contact with all keys that are needed to predict what its devices show.
public struct PredictedContact: Sendable {
    /// The number of the contact in this run.
    public let contact: ContactID
    /// The keys held for its audiences.
    public let grants: [HeldGrant]

    /// Creates a contact with these keys.
    public init(_ contact: ContactID, grants: [HeldGrant]) {
        self.contact = contact
        self.grants = grants
    }
}

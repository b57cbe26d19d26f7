public import InklingKeys

/// The number of a contact within one run of a program: small, because tables hold it many times, and meaningless
/// outside, because it is nobody's key. Whoever holds the contacts gives the numbers and knows the `UserID` behind.
public struct ContactID: RawRepresentable, Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// Any number; never used for two contacts in one run.
    public let rawValue: UInt32

    /// The contact with this number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The word "contact" and the number.
    public var description: String { "contact \(rawValue)" }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The audience under which a contact shows itself to us.
public enum HeldAudience: Hashable, Sendable, Codable {
    /// An audience of the contact, with the id that its grant names.
    case granted(AudienceID)
    /// The contact's pair audience for us (`Specs/pair-audiences.md`).
    case pair
}

/// What a contact is expected to show: this device, under this audience, during this epoch.
public struct Prediction: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Whose value it is, if it is not somebody's copy.
    public let contact: ContactID
    /// Which of the contact's devices.
    public let device: DeviceIndex
    /// The audience whose keys a handshake needs.
    public let audience: HeldAudience
    /// The epoch whose keys a handshake needs: that of the value, not of our clock.
    public let epoch: Epoch

    /// A prediction.
    public init(contact: ContactID, device: DeviceIndex, audience: HeldAudience, epoch: Epoch) {
        self.contact = contact
        self.device = device
        self.audience = audience
        self.epoch = epoch
    }

    /// The contact, the device and the epoch.
    public var description: String { "device \(device) of \(contact) in epoch \(epoch)" }
}

/// The keys that a contact gave us for one audience.
public struct HeldGrant: Sendable {
    /// The audience.
    public let audience: HeldAudience
    /// Which devices show themselves under it, ascending.
    public let devices: [DeviceIndex]
    /// The period keys held.
    public let tree: SecretBox<AudienceTree>

    /// Creates what a grant lets us predict: every device that the grant certifies.
    public init(_ grant: Grant) {
        self.init(
            audience: .granted(grant.audience), devices: grant.certificates.map(\.index), tree: grant.tree)
    }

    /// Creates the keys of these devices.
    public init(audience: HeldAudience, devices: [DeviceIndex], tree: SecretBox<AudienceTree>) {
        self.audience = audience
        self.devices = devices
        self.tree = tree
    }

    /// The grant for the devices of a bit map, bit n for device n.
    public init(audience: HeldAudience, deviceBitmap: UInt16, tree: SecretBox<AudienceTree>) {
        let devices = (0..<DeviceIndex.limit).filter { deviceBitmap >> UInt16($0) & 1 == 1 }.compactMap(
            DeviceIndex.init)
        self.init(audience: audience, devices: devices, tree: tree)
    }
}

/// A contact with everything that lets us predict what its devices show.
public struct PredictedContact: Sendable {
    /// The contact.
    public let contact: ContactID
    /// All grants held of it.
    public let grants: [HeldGrant]

    /// A contact.
    public init(_ contact: ContactID, grants: [HeldGrant]) {
        self.contact = contact
        self.grants = grants
    }
}

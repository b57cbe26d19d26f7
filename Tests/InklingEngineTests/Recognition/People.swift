import InklingEngine
import InklingKeys
import InklingTesting

let ada = ContactID(rawValue: 1)
let bo = ContactID(rawValue: 2)
let cy = ContactID(rawValue: 3)

/// A tree whose root is this byte, repeated.
func tree(_ byte: UInt8) -> SecretBox<AudienceTree> {
    SecretBox(AudienceTree(root: SecretBytes(copying: [UInt8](repeating: byte, count: 32).span)))
}

/// A contact with one group grant for these devices, under a root derived from the contact's number.
func person(_ contact: ContactID, devices: [UInt8] = [0]) -> PredictedContact {
    person(contact, root: UInt8(contact.rawValue & 0xff), devices: devices)
}

/// A contact with one group grant under this root.
func person(_ contact: ContactID, root: UInt8, devices: [UInt8] = [0]) -> PredictedContact {
    let devices = devices.compactMap(DeviceIndex.init)
    return PredictedContact(contact, grants: [HeldGrant(audience: .granted(7), devices: devices, tree: tree(root))])
}

/// A contact with one group grant for its first device, under a root derived from this number.
func person(_ contact: ContactID, seed: UInt32) -> PredictedContact {
    var generator = SeededGenerator(seed: UInt64(seed))
    let root = SecretBox(AudienceTree(root: SecretBytes(count: 32, from: &generator)))
    return PredictedContact(contact, grants: [HeldGrant(audience: .granted(7), devices: [.first], tree: root)])
}

/// The name that a device of a contact shows in an epoch, under the root derived from the contact's number.
func name(of contact: ContactID, _ epoch: Epoch, device: UInt8 = 0) -> OpaqueServiceName {
    name(root: UInt8(contact.rawValue & 0xff), epoch, device: device)
}

func name(root: UInt8, _ epoch: Epoch, device: UInt8 = 0) -> OpaqueServiceName {
    guard let period = tree(root).value.periodKey(epoch.period), let device = DeviceIndex(device) else {
        return stranger(0)
    }
    return period.deviceKeys(device).mdns.serviceName(epoch)
}

/// The minor that a device under this root shows in an epoch.
func minor(root: UInt8, _ epoch: Epoch, device: UInt8) -> BeaconMinor {
    guard let period = tree(root).value.periodKey(epoch.period), let device = DeviceIndex(device) else {
        return BeaconMinor(0)
    }
    return period.deviceKeys(device).beacon.minor(epoch)
}

/// A name that matches no contact.
func stranger(_ number: Int) -> OpaqueServiceName {
    OpaqueServiceName(Octets16(high: 0xffff_ffff, low: UInt64(number)))
}

func prediction(_ contact: ContactID, _ epoch: Epoch, device: UInt8 = 0) -> Prediction {
    Prediction(contact: contact, device: DeviceIndex(device) ?? .first, audience: .granted(7), epoch: epoch)
}

func attempt(_ contact: ContactID, _ epoch: Epoch, device: UInt8 = 0) -> Attempt {
    Attempt(name: name(of: contact, epoch, device: device), prediction: prediction(contact, epoch, device: device))
}

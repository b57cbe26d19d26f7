/// The keys for names and minors of many devices in one hour, side by side; wiped on release.
///
/// What a device shows in an epoch follows from them, for all devices at once (`Specs/identifiers.md`).
public struct DeviceLanes: ~Copyable, Sendable {
    private let mdns: StateLanes
    private let beacon: StateLanes
    private let path: LanePath

    /// The keys of the device with this index of each audience whose key of the hour is given.
    public init(_ device: DeviceIndex, of leaves: borrowing KeyLanes, by path: LanePath = .best) {
        mdns = Self.states(DerivationLabel.mdnsKey, device, leaves, path)
        beacon = Self.states(DerivationLabel.beaconKey, device, leaves, path)
        self.path = path
    }

    /// The number of devices.
    public var count: Int { mdns.count }

    /// The service names of an epoch, in the order of the keys.
    public func names(_ epoch: Epoch) -> [OpaqueServiceName] {
        guard let message = LaneMessage({ $0.append(identifier: DerivationLabel.serviceName, epoch) }) else {
            return []
        }
        return mdns.first16(message, by: path).map(OpaqueServiceName.init)
    }

    /// The minors of an epoch, in the order of the keys.
    public func minors(_ epoch: Epoch) -> [BeaconMinor] {
        guard let message = LaneMessage({ $0.append(identifier: DerivationLabel.beaconMinor, epoch) }) else {
            return []
        }
        return beacon.first2(message, by: path).map(BeaconMinor.init)
    }

    private static func states(
        _ label: StaticString, _ device: DeviceIndex, _ leaves: borrowing KeyLanes, _ path: LanePath
    ) -> StateLanes {
        guard let message = LaneMessage({ $0.append(derivation: label) { $0.append(u8: device.number) } }) else {
            return KeyLanes(count: 0).states(by: path)
        }
        return leaves.derived(message, by: path).states(by: path)
    }
}

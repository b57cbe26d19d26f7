/// The keys for names, minors and tags of many devices in one period, side by side; wiped on release.
///
/// What a device shows in an epoch follows from them, for all devices at once (`Specs/identifiers.md`).
package struct DeviceLanes: ~Copyable, Sendable {
    private let mdns: StateLanes
    private let beacon: StateLanes
    private let gatt: StateLanes
    private let path: LanePath

    /// The keys of the device with this index of each audience whose key of the period is given.
    ///
    /// - Parameters:
    ///   - device: the index of the device.
    ///   - leaves: the keys of the period.
    ///   - withTags: whether `tags` is to answer; otherwise it costs nothing.
    ///   - path: how to compute.
    package init(
        _ device: DeviceIndex, of leaves: borrowing KeyLanes, withTags: Bool = false, by path: LanePath = .best
    ) {
        let states = leaves.states(by: path)
        mdns = Self.states(DerivationLabel.mdnsKey, device, states, path)
        beacon = Self.states(DerivationLabel.beaconKey, device, states, path)
        gatt =
            withTags
            ? Self.states(DerivationLabel.gattKey, device, states, path) : KeyLanes(count: 0).states(by: path)
        self.path = path
    }

    /// The number of devices.
    package var count: Int { mdns.count }

    /// The service names of an epoch, in the order of the keys.
    package func names(_ epoch: Epoch) -> [OpaqueServiceName] {
        nameOctets(epoch).map(OpaqueServiceName.init)
    }

    /// The minors of an epoch, in the order of the keys.
    package func minors(_ epoch: Epoch) -> [BeaconMinor] {
        minorValues(epoch).map(BeaconMinor.init)
    }

    /// The recognition tags of an epoch, in the order of the keys; none unless asked for at the beginning.
    package func tags(_ epoch: Epoch) -> [RecognitionTag] {
        tagOctets(epoch).map(RecognitionTag.init)
    }

    /// The bytes of `names`.
    package func nameOctets(_ epoch: Epoch) -> [Octets16] {
        guard let message = LaneMessage({ $0.append(identifier: DerivationLabel.serviceName, epoch) }) else {
            return []
        }
        return mdns.first16(message, by: path)
    }

    /// The numbers of `minors`.
    package func minorValues(_ epoch: Epoch) -> [UInt16] {
        guard let message = LaneMessage({ $0.append(identifier: DerivationLabel.beaconMinor, epoch) }) else {
            return []
        }
        return beacon.first2(message, by: path)
    }

    /// The bytes of `tags`.
    package func tagOctets(_ epoch: Epoch) -> [Octets16] {
        guard let message = LaneMessage({ $0.append(identifier: DerivationLabel.recognitionTag, epoch) }) else {
            return []
        }
        return gatt.first16(message, by: path)
    }

    private static func states(
        _ label: StaticString, _ device: DeviceIndex, _ leaves: borrowing StateLanes, _ path: LanePath
    ) -> StateLanes {
        guard let message = LaneMessage({ $0.append(derivation: label) { $0.append(u8: device.number) } }) else {
            return KeyLanes(count: 0).states(by: path)
        }
        return leaves.derived(message, by: path).states(by: path)
    }
}

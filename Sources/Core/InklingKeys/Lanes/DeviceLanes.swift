/// The keys for the names, minors and tags of one device index in many audiences in one period, in parallel lanes;
/// wiped on release.
///
/// They yield the identifiers of an epoch for all audiences at once (`Specs/identifiers.md`).
package struct DeviceLanes: ~Copyable, Sendable {
    private let mdns: StateLanes
    private let beacon: StateLanes
    private let gatt: StateLanes
    private let path: LanePath

    /// Derives the keys of a device in each audience whose period key is given.
    ///
    /// - Parameters:
    /// - device: the index of the device.
    /// - leaves: the period keys of the audiences, all for the same period.
    /// - withTags: whether to derive the keys for `tags`; without them, `tags` returns an empty array.
    /// - path: the implementation to use.
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

    /// The number of audiences.
    package var count: Int { mdns.count }

    /// Returns the service names of an epoch, in the order of the period keys.
    package func names(_ epoch: Epoch) -> [OpaqueServiceName] {
        nameOctets(epoch).map(OpaqueServiceName.init)
    }

    /// Returns the minors of an epoch, in the order of the period keys.
    package func minors(_ epoch: Epoch) -> [BeaconMinor] {
        minorValues(epoch).map(BeaconMinor.init)
    }

    /// Returns the recognition tags of an epoch, in the order of the period keys; empty if the lanes were created
    /// without tags.
    package func tags(_ epoch: Epoch) -> [RecognitionTag] {
        tagOctets(epoch).map(RecognitionTag.init)
    }

    /// Returns the service names of an epoch as plain bytes, in the order of the period keys.
    package func nameOctets(_ epoch: Epoch) -> [Octets16] {
        guard let message = LaneMessage({ $0.append(identifier: DerivationLabel.serviceName, epoch) }) else {
            return []
        }
        return mdns.first16(message, by: path)
    }

    /// Returns the minors of an epoch as plain numbers, in the order of the period keys.
    package func minorValues(_ epoch: Epoch) -> [UInt16] {
        guard let message = LaneMessage({ $0.append(identifier: DerivationLabel.beaconMinor, epoch) }) else {
            return []
        }
        return beacon.first2(message, by: path)
    }

    /// Returns the recognition tags of an epoch as plain bytes, in the order of the period keys.
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

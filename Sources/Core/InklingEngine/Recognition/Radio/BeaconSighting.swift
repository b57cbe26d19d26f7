public import InklingKeys

/// A minor that a radio reported (`Specs/recognition.md`).
public struct BeaconSighting: Hashable, Sendable {
    /// The minor in the iBeacon frame.
    public let minor: BeaconMinor
    /// The address of the sender.
    public let address: DeviceAddress
    /// The received power in dBm, −127 to 20.
    public let rssi: Int8
    /// The time when the minor was heard, which can be long before it is reported.
    public let observed: ObservedTime
    /// Whether this device can connect to the sender: not if only an antenna elsewhere has heard it.
    public let isReachable: Bool

    /// Creates a sighting, of a sender that the radio of this device has heard unless the caller says otherwise.
    public init(
        _ minor: BeaconMinor, from address: DeviceAddress, rssi: Int8, observed: ObservedTime, isReachable: Bool = true
    ) {
        self.minor = minor
        self.address = address
        self.rssi = rssi
        self.observed = observed
        self.isReachable = isReachable
    }

    /// The same sighting, of a sender to which this device cannot connect.
    public var unreachable: BeaconSighting {
        BeaconSighting(minor, from: address, rssi: rssi, observed: observed, isReachable: false)
    }
}

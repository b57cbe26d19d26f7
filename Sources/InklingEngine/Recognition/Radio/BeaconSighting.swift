public import InklingKeys

/// A minor that a radio reported (`Specs/recognition.md`).
public struct BeaconSighting: Hashable, Sendable {
    /// The minor.
    public let minor: BeaconMinor
    /// Who sent it.
    public let address: DeviceAddress
    /// The strength of the signal in dBm, −127 to 20.
    public let rssi: Int8
    /// When it was heard, which can be long before it is reported.
    public let observed: ObservedTime

    /// A sighting.
    public init(_ minor: BeaconMinor, from address: DeviceAddress, rssi: Int8, observed: ObservedTime) {
        self.minor = minor
        self.address = address
        self.rssi = rssi
        self.observed = observed
    }
}

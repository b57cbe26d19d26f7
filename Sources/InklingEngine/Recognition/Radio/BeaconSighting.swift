public import InklingKeys

/// A minor that a radio reported (`Specs/recognition.md`).
public struct BeaconSighting: Hashable, Sendable {
    /// The minor.
    public let minor: BeaconMinor
    /// Who sent it.
    public let address: DeviceAddress
    /// The strength of the signal in dBm, −127 to 20.
    public let strength: Int8
    /// When it was heard, which can be long before it is reported.
    public let observed: Observation

    /// A sighting.
    public init(_ minor: BeaconMinor, from address: DeviceAddress, strength: Int8, observed: Observation) {
        self.minor = minor
        self.address = address
        self.strength = strength
        self.observed = observed
    }
}

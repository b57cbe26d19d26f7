public import InklingKeys

/// One attempt to confirm a contact: the value that was seen, and the device and epoch to which it is expected to
/// belong.
public struct Attempt: Hashable, Sendable, Codable, CustomStringConvertible {
    /// A value that was seen, and where; it determines the transport.
    public enum Value: Hashable, Sendable, Codable, CustomStringConvertible {
        /// A name on the local network. The attempt uses TCP, and the name is bound into the handshake.
        case name(OpaqueServiceName)
        /// A tag that was read from this address. The attempt uses GATT, and the tag is bound into the handshake.
        case tag(RecognitionTag, from: DeviceAddress)
        /// A minor that this address shows. The attempt uses GATT: read the tag first, and if it is not the contact's,
        /// report `AttemptFailure.stranger`.
        case minor(BeaconMinor, from: DeviceAddress)

        /// The kind of value, the value, and the address that showed it.
        public var description: String {
            switch self {
            case .name(let name): "name \(name)"
            case .tag(let tag, let address): "tag \(tag) from \(address)"
            case .minor(let minor, let address): "minor \(minor) from \(address)"
            }
        }
    }

    /// The value that was seen.
    public let value: Value
    /// The device to expect, and the audience and epoch whose keys the handshake uses.
    public let prediction: Prediction

    /// Creates an attempt to reach the predicted device through this value.
    public init(_ value: Value, _ prediction: Prediction) {
        self.value = value
        self.prediction = prediction
    }

    /// Creates an attempt by TCP.
    public init(name: OpaqueServiceName, prediction: Prediction) { self.init(.name(name), prediction) }

    /// The prediction and the value in words, for a log.
    public var description: String { "\(prediction), seen as \(value)" }

    /// The technology of the attempt: the network for a name, the radio for a tag or a minor.
    public var over: AttemptTechnology { address == nil ? .network : .radio }

    /// The address to connect to by GATT; nil for TCP.
    var address: DeviceAddress? {
        switch value {
        case .name: nil
        case .tag(_, let address), .minor(_, let address): address
        }
    }

    /// A sort key, so that the choice among equal values is deterministic: the name, or the address.
    var place: Octets16 {
        switch value {
        case .name(let name): name.octets
        case .tag(_, let address), .minor(_, let address): Octets16(high: 0, low: address.value)
        }
    }
}

/// The reason an attempt failed. Every failure counts against the budgets in the same way; only after `unreachable` and
/// `reset` is the attempt repeated.
public enum AttemptFailure: String, Hashable, Sendable, Codable {
    /// No address was found, or no link could be established.
    case unreachable
    /// The link was reset less than 3 s after the first message was sent. A link that ends later counts as `silent`.
    case reset
    /// The other side sent nothing, which is how every device treats a stranger.
    case silent
    /// This device refused the other side, because its reply or its certificate was invalid.
    case refused
    /// The tag at the address was not the contact's.
    case stranger

    /// Whether the link failed, rather than the handshake.
    var isOfLink: Bool { self == .unreachable || self == .reset }
}

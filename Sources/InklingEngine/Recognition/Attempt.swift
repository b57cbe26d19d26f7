public import InklingKeys

/// One try to confirm a contact: whom to expect behind which value, and with the keys of which epoch.
public struct Attempt: Hashable, Sendable, Codable, CustomStringConvertible {
    /// What was seen of the contact, and where: it decides the transport.
    public enum Value: Hashable, Sendable, Codable, CustomStringConvertible {
        /// A name on the local network, by TCP; it binds the handshake.
        case name(OpaqueServiceName)
        /// A tag that was read from this address, by GATT; it binds the handshake.
        case tag(RecognitionTag, from: DeviceAddress)
        /// A minor that this address shows, by GATT. Its tag is to be read first, and if it is not the contact's, the
        /// attempt ends as `AttemptFailure.stranger`.
        case minor(BeaconMinor, from: DeviceAddress)

        /// What was seen, and from which address.
        public var description: String {
            switch self {
            case .name(let name): "name \(name)"
            case .tag(let tag, let address): "tag \(tag) from \(address)"
            case .minor(let minor, let address): "minor \(minor) from \(address)"
            }
        }
    }

    /// What was seen.
    public let value: Value
    /// Whom we expect, and the keys to use.
    public let prediction: Prediction

    /// An attempt.
    public init(_ value: Value, _ prediction: Prediction) {
        self.value = value
        self.prediction = prediction
    }

    /// An attempt by TCP.
    public init(name: OpaqueServiceName, prediction: Prediction) { self.init(.name(name), prediction) }

    /// Who is expected, and what was seen.
    public var description: String { "\(prediction), seen as \(value)" }

    /// Where to connect by GATT; nil for TCP.
    var address: DeviceAddress? {
        switch value {
        case .name: nil
        case .tag(_, let address), .minor(_, let address): address
        }
    }

    /// Where the value was seen, as a number for ordering: the name itself, or the address.
    var place: Octets16 {
        switch value {
        case .name(let name): name.octets
        case .tag(_, let address), .minor(_, let address): Octets16(high: 0, low: address.value)
        }
    }
}

/// Why an attempt came to nothing; each counts against the budgets alike.
public enum AttemptFailure: String, Hashable, Sendable, Codable {
    /// No address was found, or no link could be made.
    case unreachable
    /// The other side did not answer: the only answer a stranger gives, and gets.
    case silent
    /// We refused the other side: its answer or its certificate was not valid.
    case refused
    /// The tag at the address was not the contact's.
    case stranger
}

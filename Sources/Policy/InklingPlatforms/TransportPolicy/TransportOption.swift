/// A way for two devices to notice each other or to exchange data (`Specs/transport-policy.md`, transports).
public enum TransportOption: String, Hashable, Sendable, CaseIterable, Comparable, Codable {
    /// One device shows a beacon, and the other monitors a region.
    case beacon
    /// One device advertises the service, and the other scans for it.
    case ble
    /// A Bluetooth connection.
    case gatt
    /// Names and connections on a network to which both devices are connected.
    case network
    /// Network P2P over Apple's direct link.
    case awdl
    /// Wi-Fi Aware for throughput.
    case awareBulk = "aware-bulk"
    /// Wi-Fi Aware for latency.
    case awareRealTime = "aware-realtime"
    /// Wi-Fi Direct.
    case wifiDirect = "wifi-direct"
    /// One user shows a code and the other scans it, or the devices touch.
    case exchange
    /// Multipeer Connectivity, which is always refused.
    case multipeer
    /// A relay on the internet, which is always refused.
    case relay

    public static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The purpose of a plan.
public enum TransportPurpose: String, Hashable, Sendable, CaseIterable {
    /// To notice that a contact is near.
    case passive
    /// To become contacts by a handshake.
    case firstContact = "first-contact"
    /// To confirm a contact by a handshake.
    case recognise
    /// To send a few bytes soon.
    case message
    /// To send many bytes.
    case bulk
}

/// The relation of two users.
public enum TransportRelation: String, Hashable, Sendable, CaseIterable {
    /// Neither knows the other.
    case stranger
    /// One user holds the invitation of the other.
    case invited
    /// Each user has the card of the other, and no handshake has confirmed the contact in this epoch.
    case contact
    /// A handshake confirmed the contact in this epoch.
    case confirmed
}

/// The side that takes the active role, which scans, monitors or connects.
public enum TransportDirection: String, Hashable, Sendable, CaseIterable, Codable {
    /// This device is active, and the peer is passive.
    case we
    /// The peer is active, and this device is passive.
    case they
    /// Both are active.
    case both
}

extension TransportOption {
    /// The purposes for which the transport can be used.
    var purposes: Set<TransportPurpose> {
        switch self {
        case .beacon: [.passive, .recognise]
        case .ble: [.passive]
        case .gatt: [.firstContact, .recognise, .message, .bulk]
        case .network: [.passive, .firstContact, .recognise, .message, .bulk]
        case .awdl: [.message, .bulk]
        case .awareBulk, .wifiDirect: [.bulk]
        case .awareRealTime: [.message]
        case .exchange: [.firstContact]
        case .multipeer, .relay: []
        }
    }

    /// The relations in which it can be used.
    var relations: Set<TransportRelation> {
        switch self {
        case .beacon, .ble: [.contact, .confirmed]
        case .gatt, .network: [.invited, .contact, .confirmed]
        case .awdl, .awareBulk, .awareRealTime, .wifiDirect: [.confirmed]
        case .exchange: [.stranger]
        case .multipeer, .relay: []
        }
    }

    /// Whether the transport runs until it is stopped, so that no other transport waits for it to end.
    var isPassive: Bool { self == .beacon || self == .ble }

    /// Whether another transport must follow for this purpose, because this one carries no handshake.
    func mustBeFollowed(for purpose: TransportPurpose) -> Bool {
        switch self {
        case .beacon: purpose == .recognise
        case .exchange: purpose == .firstContact
        default: false
        }
    }

    /// The transports that can follow another one in a chain; at equal cost, the first is preferred.
    static let followers: [TransportOption] = [.gatt, .network]
}

/// A way for two devices to notice each other or to exchange data (`Specs/transport-policy.md`, transports).
public enum Transport: String, Hashable, Sendable, CaseIterable, Comparable {
    /// One shows a beacon, the other monitors a region.
    case beacon
    /// One advertises the service, the other scans.
    case ble
    /// A Bluetooth connection.
    case gatt
    /// Names and connections on a network that both are on.
    case network
    /// Network P2P over Apple's direct link.
    case awdl
    /// Wi-Fi Aware for throughput.
    case awareBulk = "aware-bulk"
    /// Wi-Fi Aware for latency.
    case awareRealTime = "aware-realtime"
    /// Wi-Fi Direct.
    case wifiDirect = "wifi-direct"
    /// A code that one shows and the other scans, or a tap.
    case exchange
    /// Multipeer Connectivity: known, and always refused.
    case multipeer
    /// A relay on the internet: known, and always refused.
    case relay

    public static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What a transport is to be used for.
public enum TransportPurpose: String, Hashable, Sendable, CaseIterable {
    /// To notice that somebody is near.
    case passive
    /// To become contacts.
    case firstContact = "first-contact"
    /// To confirm by a handshake who it is.
    case recognise
    /// To send a few bytes soon.
    case message
    /// To send many bytes.
    case bulk
}

/// What the two are to each other.
public enum TransportRelation: String, Hashable, Sendable, CaseIterable {
    /// Neither knows the other.
    case stranger
    /// One holds the other's invitation.
    case invited
    /// Each has the other's card, and nobody has proved anything in this epoch.
    case contact
    /// A handshake proved the contact in this epoch.
    case confirmed
}

/// Who takes the active role: who scans, monitors or connects.
public enum TransportDirection: String, Hashable, Sendable, CaseIterable {
    /// We do, and the peer is passive.
    case we
    /// The peer does, and we are passive.
    case they
    /// Each does.
    case both
}

extension Transport {
    /// What it can be used for.
    var purposes: Set<TransportPurpose> {
        switch self {
        case .beacon, .ble: [.passive, .recognise]
        case .gatt: [.firstContact, .recognise, .message, .bulk]
        case .network: [.passive, .firstContact, .recognise, .message, .bulk]
        case .awdl: [.message, .bulk]
        case .awareBulk, .wifiDirect: [.bulk]
        case .awareRealTime: [.message]
        case .exchange: [.firstContact]
        case .multipeer, .relay: []
        }
    }

    /// Between whom it can be used.
    var relations: Set<TransportRelation> {
        switch self {
        case .beacon, .ble: [.contact, .confirmed]
        case .gatt, .network: [.invited, .contact, .confirmed]
        case .awdl, .awareBulk, .awareRealTime, .wifiDirect: [.confirmed]
        case .exchange: [.stranger]
        case .multipeer, .relay: []
        }
    }

    /// Whether it runs without an end of its own, so that nothing else has to wait for it.
    var isPassive: Bool { self == .beacon || self == .ble }
}

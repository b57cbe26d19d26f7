public import InklingEngine
public import InklingWire

/// The address at which a link's peer is reached. It is valid for at most one epoch.
public enum LinkRoute: Hashable, Sendable {
    /// An IP address and a TCP port.
    case endpoint(Endpoint)
    /// The Bluetooth address that a device shows.
    case device(DeviceAddress)

    /// The technology of links to this route.
    public var technology: LinkTechnologyID {
        switch self {
        case .endpoint: .lan
        case .device: .bluetooth
        }
    }
}

/// A link technology: a means of discovery together with its links.
public enum LinkTechnologyID: String, Hashable, Sendable, CaseIterable, Codable {
    /// The local network: multicast DNS and TCP.
    case lan
    /// Bluetooth Low Energy: beacons and GATT.
    case bluetooth
}

internal import InklingEngine
internal import InklingKeys
internal import InklingPlatforms
internal import InklingWire

/// The lasting properties of a link technology. The node asks for them, and not for a technology by its name, so that
/// another technology changes nothing outside this folder.
struct LinkCapabilities: Sendable {
    /// The transport code of its links in handshakes.
    let transport: Transport
    /// The transport of its links, in the terms of the transport policy.
    let option: TransportOption
    /// The recognition attempts made over its links.
    let attempts: AttemptTechnology
    /// The needs of a program that uses it, in the terms of the transport policy.
    let needs: Set<ProfileNeed>
    /// The maximum duration of a connect.
    let connectDeadline: Duration
    /// The maximum time before a boundary at which its links end.
    let quietLead: Duration
    /// Whether its links are too slow for the state of a user, so that a session continues over a faster link.
    let isSlow: Bool
}

extension LinkTechnologyID {
    var capabilities: LinkCapabilities {
        switch self {
        case .lan: LANTechnology.capabilities
        case .bluetooth: BluetoothTechnology.capabilities
        }
    }

    /// The technology over which names are searched for, also those that are answered without being announced.
    static let searched = LinkTechnologyID.lan
    /// The technology of endpoints that somebody has told: a user, or a contact that offers a faster link.
    static let offered = LinkTechnologyID.lan
    /// The technology whose links show a recognition tag, which is read before the first message.
    static let tagged = LinkTechnologyID.bluetooth
}

extension Attempt {
    /// The technology of its link.
    var technology: LinkTechnologyID { over == .network ? .searched : .tagged }
}

extension Explanation.Sight.Value {
    /// The technology over which it was seen.
    var technology: LinkTechnologyID {
        switch self {
        case .name: .searched
        case .tag, .minor: .tagged
        }
    }
}

extension NodePorts {
    /// Returns the technologies of a node with these ports.
    func technologies(
        highWater: Epoch?, isVisible: Bool, confirmation: OwnerConfirmation?
    ) -> [any LinkTechnology] {
        let lan = LANTechnology(highWater: highWater, isVisible: isVisible, confirmation: confirmation)
        guard hearsBeacons else { return [lan] }
        return [
            lan,
            BluetoothTechnology(
                highWater: highWater, isVisible: isVisible, confirmation: confirmation,
                callsThroughAntennas: callsThroughAntennas),
        ]
    }
}

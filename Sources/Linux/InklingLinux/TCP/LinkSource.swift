internal import InklingKeys
internal import InklingWire

/// The peer that a link is charged to (`Specs/handshake.md`): a device has many addresses but one place on-link.
enum LinkSource: Hashable, Sendable {
    /// The link-layer address through which an on-link address is reached.
    case neighbour([UInt8])
    /// An on-link address without a known link-layer address, or an IPv4 address elsewhere.
    case address(Endpoint.Address)
    /// The first 64 bits of an IPv6 address elsewhere.
    case network(UInt64)

    /// Classifies an address; `neighbour` is its link-layer address if it is on-link and known to the kernel.
    init(_ address: Endpoint.Address, isOnLink: Bool, neighbour: [UInt8]?) {
        if isOnLink, let neighbour, !neighbour.isEmpty {
            self = .neighbour(neighbour)
        } else if !isOnLink, case .v6(let octets, _) = address {
            self = .network(octets.high)
        } else {
            self = .address(address)
        }
    }
}

internal import InklingKeys
internal import InklingWire

/// For whom a link counts (`Specs/handshake.md`): a device has many addresses, and one place on the link.
enum LinkSource: Hashable, Sendable {
    /// The link-layer address from which an address on the link is reached.
    case neighbour([UInt8])
    /// An address on the link without a known link-layer address, or an IPv4 address elsewhere.
    case address(Endpoint.Address)
    /// The first 64 bits of an IPv6 address elsewhere.
    case network(UInt64)

    /// Classifies an address; `neighbour` is its link-layer address, if it is on the link and the kernel knows it.
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

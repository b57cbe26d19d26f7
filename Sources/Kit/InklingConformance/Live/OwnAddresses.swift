internal import InklingKeys
internal import InklingNode
public import InklingWire

/// The addresses of the machine that makes a live run, compared without scopes.
///
/// With two interfaces on one link, a machine receives on one what it sends on the other, with the receiving
/// interface's scope. If scopes were compared, its own address would look like a neighbour's.
public struct OwnAddresses: Hashable, Sendable, ExpressibleByArrayLiteral {
    private let addresses: Set<Endpoint.Address>

    public init(_ addresses: some Sequence<Endpoint.Address>) {
        self.addresses = Set(addresses.map(\.withoutScope))
    }

    public init(arrayLiteral elements: Endpoint.Address...) { self.init(elements) }

    /// Returns whether an address, received on any interface, belongs to this machine.
    public func contains(_ address: Endpoint.Address) -> Bool { addresses.contains(address.withoutScope) }

    /// Returns whether one of the addresses belongs to this machine.
    func intersects(_ others: Set<Endpoint.Address>) -> Bool { others.contains(where: contains) }

    /// Returns the addresses that belong to other machines.
    func others(of all: Set<Endpoint.Address>) -> Set<Endpoint.Address> { all.filter { !contains($0) } }

    /// The reason why reports skip some checks when the node runs on the same machine.
    static let sharedAddress = "not judged: the node shares an address with this program"
}

extension Endpoint.Address {
    fileprivate var withoutScope: Self {
        switch self {
        case .v4: self
        case .v6(let octets, _): .v6(octets, scope: 0)
        }
    }

    var isLoopback: Bool {
        switch self {
        case .v4(let value): value >> 24 == 127
        case .v6(let octets, _): octets.high == 0 && octets.low == 1
        }
    }
}

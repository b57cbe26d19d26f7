internal import InklingKeys

/// A network interface as multicast DNS uses it.
package struct MDNSInterface: Hashable, Sendable {
    /// A range of addresses that are on the link.
    package struct Prefix: Hashable, Sendable {
        package let address: Endpoint.Address
        /// The number of leading bits that count.
        package let length: UInt8

        package init(_ address: Endpoint.Address, length: UInt8) {
            self.address = address
            self.length = length
        }
    }

    /// The system's number of the interface.
    package let index: UInt32
    /// The address families whose multicast group has been joined.
    package let families: [AddressFamily]
    /// The addresses to publish, in this order.
    package let published: [Endpoint.Address]
    /// The ranges of addresses on the link, besides link-local addresses.
    package let prefixes: [Prefix]
    /// Whether it is the loopback interface.
    package let isLoopback: Bool
    /// Whether our instances are shown on it; otherwise it is used only to listen and ask.
    package let isShown: Bool

    package init(
        index: UInt32, families: [AddressFamily], published: [Endpoint.Address], prefixes: [Prefix],
        isLoopback: Bool = false, isShown: Bool = true
    ) {
        self.index = index
        self.families = families
        self.published = published
        self.prefixes = prefixes
        self.isLoopback = isLoopback
        self.isShown = isShown
    }
}

/// IPv4 or IPv6.
package enum AddressFamily: Hashable, Sendable, CaseIterable, Comparable {
    case v4
    case v6
}

/// An interface and an address family: packets sent on one are not heard on another.
package struct MDNSPath: Hashable, Sendable, Comparable {
    package let interface: UInt32
    package let family: AddressFamily

    package init(interface: UInt32, family: AddressFamily) {
        self.interface = interface
        self.family = family
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.interface, left.family) < (right.interface, right.family)
    }
}

extension MDNSInterface {
    /// Returns the interface with those of its families for which `isKept` is true.
    package func limited(to isKept: (AddressFamily) -> Bool) -> MDNSInterface {
        MDNSInterface(
            index: index, families: families.filter(isKept), published: published, prefixes: prefixes,
            isLoopback: isLoopback, isShown: isShown)
    }

    var paths: [MDNSPath] { families.sorted().map { MDNSPath(interface: index, family: $0) } }

    /// Returns the address to connect to; throws if it must not be used (`Specs/mdns.md`, "Refusals of addresses"). A
    /// link-local address gets this interface as its scope.
    package func reachable(_ address: Endpoint.Address) throws(MDNSAddressError) -> Endpoint.Address {
        switch address {
        case .v4(let value):
            switch value >> 24 {
            case 0: throw .unspecified
            case 127:
                guard isLoopback else { throw .loopback }
                return address
            case 224...239: throw .multicast
            case 240...255: throw .reserved
            default: break
            }
            guard value >> 16 == 0xa9fe || isOnLink(address) else { throw .offLink }
            return address
        case .v6(let octets, _):
            if octets.high == 0 {
                guard octets.low == 1 else { throw .unspecified }
                guard isLoopback else { throw .loopback }
                return .v6(octets, scope: 0)
            }
            if octets.high >> 56 == 0xff { throw .multicast }
            if octets.high >> 54 == 0xfe80 >> 6 { return .v6(octets, scope: index) }
            guard isOnLink(address) else { throw .offLink }
            return .v6(octets, scope: 0)
        }
    }

    private func isOnLink(_ address: Endpoint.Address) -> Bool { prefixes.contains { $0.contains(address) } }
}

extension MDNSInterface.Prefix {
    package func contains(_ other: Endpoint.Address) -> Bool {
        switch (address, other) {
        case (.v4(let mine), .v4(let other)):
            length == 0 || length <= 32 && (mine ^ other) >> (32 - UInt32(length)) == 0
        case (.v6(let mine, _), .v6(let other, _)):
            switch length {
            case 0: true
            case 1...64: (mine.high ^ other.high) >> (64 - UInt64(length)) == 0
            case 65...128: mine.high == other.high && (mine.low ^ other.low) >> (128 - UInt64(length)) == 0
            default: false
            }
        default: false
        }
    }
}

/// The reason an address in a record is not connected to.
package enum MDNSAddressError: Refusal, Hashable {
    case unspecified
    case multicast
    case reserved
    case loopback
    case offLink

    package var stage: String { "address" }

    package var reason: String {
        switch self {
        case .unspecified: "unspecified"
        case .multicast: "multicast"
        case .reserved: "reserved"
        case .loopback: "loopback"
        case .offLink: "off-link"
        }
    }
}

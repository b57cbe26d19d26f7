internal import CLinux
internal import Glibc
internal import InklingKeys
internal import InklingWire

/// Finds the peer that a link is charged to, from the kernel's routes and neighbour table. Answers are cached for a
/// second, because a flood repeats the same addresses.
struct Neighbours: ~Copyable {
    private static let lifetime: UInt64 = 1_000_000_000
    private static let limit = 1_024

    private let socket: RouteSocket?
    private var known: [Endpoint.Address: LinkSource] = [:]
    private var end: UInt64 = 0

    init() { socket = RouteSocket(listening: false) }

    /// Returns the peer that a link from `address` is charged to. `now` is monotonic, in nanoseconds.
    mutating func source(of address: Endpoint.Address, at now: UInt64) -> LinkSource {
        if now >= end || known.count >= Self.limit {
            known.removeAll(keepingCapacity: true)
            end = now + Self.lifetime
        }
        if let found = known[address] { return found }
        let found = find(address)
        known[address] = found
        return found
    }

    private func answer(to request: RouteRequest) -> [UInt8]? { socket?.answer(to: request) ?? nil }

    private func find(_ address: Endpoint.Address) -> LinkSource {
        let route: RouteAnswer
        if case .v6(_, let scope) = address, address.isLinkLocalV6 {
            route = RouteAnswer(interface: scope, hasGateway: false, isLocal: false)
        } else {
            guard let answer = answer(to: .route(to: address)).flatMap({ RouteAnswer($0.span) }) else {
                return LinkSource(address, isOnLink: false, neighbour: nil)
            }
            route = answer
        }
        guard !route.hasGateway else { return LinkSource(address, isOnLink: false, neighbour: nil) }
        guard !route.isLocal else { return LinkSource(address, isOnLink: true, neighbour: nil) }
        let neighbour = answer(to: .neighbour(address, on: route.interface)).flatMap {
            linkLayerAddress(in: $0.span)
        }
        return LinkSource(address, isOnLink: true, neighbour: neighbour)
    }
}

/// A request for one entry of the kernel's tables (`rtnetlink(7)`), in native byte order.
struct RouteRequest {
    /// `RTM_GETROUTE` and `RTM_GETNEIGH`.
    private static let getRoute: UInt16 = 26, getNeighbour: UInt16 = 30
    private static let destination: UInt16 = 1

    let bytes: [UInt8]

    /// Returns the request for the route that the kernel would choose to an address.
    static func route(to address: Endpoint.Address) -> Self {
        let (family, octets) = address.familyAndOctets
        // struct rtmsg: family, destination length, six further bytes, flags.
        let body = [family, UInt8(octets.count * 8)] + [UInt8](repeating: 0, count: 10)
        return Self(type: getRoute, body: body, attribute: octets)
    }

    /// Returns the request for the neighbour with an address on an interface.
    static func neighbour(_ address: Endpoint.Address, on interface: UInt32) -> Self {
        let (family, octets) = address.familyAndOctets
        // struct ndmsg: family, three bytes of padding, interface, state, flags, type.
        let body = [family, 0, 0, 0] + native(interface) + [0, 0, 0, 0]
        return Self(type: getNeighbour, body: body, attribute: octets)
    }

    private init(type: UInt16, body: [UInt8], attribute: [UInt8]) {
        let parameters = native(UInt16(4 + attribute.count)) + native(Self.destination) + attribute
        let length = UInt32(16 + body.count + parameters.count)
        // struct nlmsghdr: length, type, flags (request), sequence, port.
        let header = native(length) + native(type) + native(UInt16(1)) + native(UInt32(0)) + native(UInt32(0))
        bytes = header + body + parameters
    }
}

/// The kernel's answer about a route.
struct RouteAnswer: Hashable {
    let interface: UInt32
    let hasGateway: Bool
    /// Whether the address belongs to this machine.
    let isLocal: Bool

    init(interface: UInt32, hasGateway: Bool, isLocal: Bool) {
        self.interface = interface
        self.hasGateway = hasGateway
        self.isLocal = isLocal
    }

    /// Parses an `RTM_NEWROUTE` message; `nil` for any other.
    init?(_ message: Span<UInt8>) {
        guard message.count >= 28, message.u16(at: 4) == 24 else { return nil }
        var interface: UInt32 = 0
        var hasGateway = false
        // RTA_OIF, RTA_GATEWAY and RTA_VIA.
        message.attributes(from: 28) { type, start, count in
            if type == 4, count == 4 { interface = message.u32(at: start) }
            if type == 5 || type == 18 { hasGateway = true }
        }
        // RTN_LOCAL.
        self.init(interface: interface, hasGateway: hasGateway, isLocal: message[23] == 2)
    }
}

/// Returns the link-layer address in an `RTM_NEWNEIGH` message; `nil` for other messages or without one.
func linkLayerAddress(in message: Span<UInt8>) -> [UInt8]? {
    guard message.count >= 28, message.u16(at: 4) == 28 else { return nil }
    var found: [UInt8]?
    // NDA_LLADDR.
    message.attributes(from: 28) { type, start, count in
        if type == 2 { found = (start..<start + min(count, 32)).map { message[$0] } }
    }
    return found
}

private func native(_ value: UInt16) -> [UInt8] { unsafe withUnsafeBytes(of: value) { unsafe Array($0) } }

private func native(_ value: UInt32) -> [UInt8] { unsafe withUnsafeBytes(of: value) { unsafe Array($0) } }

extension Endpoint.Address {
    /// The kernel's address family, and the address in network byte order.
    fileprivate var familyAndOctets: (UInt8, [UInt8]) {
        switch self {
        case .v4(let value): (2, (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
        case .v6(let octets, _):
            (10, (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? octets.high : octets.low) >> (56 - 8 * ($0 % 8))) })
        }
    }
}

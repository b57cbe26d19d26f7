public import InklingKeys

/// Addresses of the sender of an OFFER over another transport, valid for a short time (`Specs/hand-over.md`).
public struct TransportOffer: Hashable, Sendable {
    /// The number of an offer in its session: 1 and 3 are the initiator's, 2 and 4 the responder's.
    public struct Number: Hashable, Sendable, Comparable {
        /// 1 to 4.
        public let value: UInt8

        /// Creates a number; returns nil unless it is 1 to 4.
        public init?(_ value: UInt8) {
            guard (1...4).contains(value) else { return nil }
            self.value = value
        }

        /// The number of a role's first or second offer; nil for a further one.
        public init?(_ role: Role, count: Int) {
            guard (0...1).contains(count) else { return nil }
            value = UInt8(2 * count) + (role == .initiator ? 1 : 2)
        }

        /// The role whose offer has this number.
        public var role: Role { value % 2 == 1 ? .initiator : .responder }

        public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    }

    /// An address of the sender, as it was sent: the transport may be unknown to this version.
    public struct Address: Hashable, Sendable {
        /// The code of the transport.
        public let transport: UInt8
        /// The IP address; an IPv4 address is mapped into IPv6.
        public let address: Octets16
        /// The port.
        public let port: UInt16

        /// Creates an address from its fields.
        public init(transport: UInt8, address: Octets16, port: UInt16) {
            self.transport = transport
            self.address = address
            self.port = port
        }

        /// Creates the address of a TCP endpoint.
        public init(_ endpoint: Endpoint) {
            let address =
                switch endpoint.address {
                case .v4(let value): Octets16(high: 0, low: Self.mapped << 32 | UInt64(value))
                case .v6(let octets, _): octets
                }
            self.init(transport: Transport.tcp.code, address: address, port: endpoint.port)
        }

        /// The upper half of the low eight bytes of a mapped IPv4 address.
        private static let mapped: UInt64 = 0xffff
        private static let leastPort: UInt16 = 1024

        /// The IP address, without a scope.
        private var internetAddress: Endpoint.Address {
            address.high == 0 && address.low >> 32 == Self.mapped
                ? .v4(UInt32(truncatingIfNeeded: address.low)) : .v6(address, scope: 0)
        }

        /// Returns the endpoint to connect to through an interface; throws `OfferError` if it must not be called.
        package func callable(through interface: MDNSInterface) throws(OfferError) -> Endpoint {
            guard transport == Transport.tcp.code else { throw .unknownTransport }
            guard port >= Self.leastPort else { throw .lowPort }
            guard internetAddress.isPrivate else { throw .notPrivate }
            do throws(MDNSAddressError) {
                return Endpoint(address: try interface.reachable(internetAddress), port: port)
            } catch {
                throw .offLink
            }
        }
    }

    /// The most addresses of an offer.
    public static let addressLimit = 4
    /// The number of offers of one side that count in a session.
    public static let perSide = 2
    /// The lifetime of an offer from when it was sent, in milliseconds.
    public static let lifetime: UInt64 = 30_000
    /// The range from which the delay before the link is opened is drawn, in milliseconds.
    public static let openingDelay: ClosedRange<UInt64> = 2000...25_000
    private static let addressByteCount = 19

    /// The number, from which the keys of the offered link are derived.
    public let number: Number
    /// The addresses in the order in which they are to be called, 1 to 4.
    public let addresses: [Address]

    /// Creates an offer to send; returns nil unless it has 1 to 4 addresses.
    public init?(_ number: Number, addresses: [Address]) {
        guard (1...Self.addressLimit).contains(addresses.count) else { return nil }
        self.number = number
        self.addresses = addresses
    }

    /// Parses the body of a record.
    ///
    /// - Throws: `OfferError`, the first row of the table in `Specs/hand-over.md` that applies. The receiver ignores the
    ///   record.
    public init(parsing body: Span<UInt8>) throws(OfferError) {
        var fields = ByteReader()
        guard let value = fields.u8(of: body), let count = fields.u8(of: body) else { throw .truncated }
        guard let number = Number(value) else { throw .badNumber }
        guard (1...Self.addressLimit).contains(Int(count)) else { throw .badCount }
        guard fields.remaining(of: body) == Int(count) * Self.addressByteCount else { throw .wrongLength }
        var addresses: [Address] = []
        for _ in 0..<count {
            guard let transport = fields.u8(of: body), let high = fields.u64(of: body), let low = fields.u64(of: body),
                let port = fields.u16(of: body)
            else { throw .wrongLength }
            addresses.append(Address(transport: transport, address: Octets16(high: high, low: low), port: port))
        }
        self.number = number
        self.addresses = addresses
    }

    /// The record to send.
    public var record: Record {
        Record(.offer) { writer in
            writer.append(u8: number.value)
            writer.append(u8: UInt8(truncatingIfNeeded: addresses.count))
            for address in addresses {
                writer.append(u8: address.transport)
                writer.append(u64: address.address.high)
                writer.append(u64: address.address.low)
                writer.append(u16: address.port)
            }
        }
    }
}

extension Endpoint.Address {
    /// Whether the address has no meaning outside a network or a link: only such addresses are offered.
    public var isPrivate: Bool {
        switch self {
        case .v4(let value):
            value >> 24 == 10 || value >> 20 == 0xac1 || value >> 16 == 0xc0a8 || value >> 16 == 0xa9fe
        case .v6(let octets, _): octets.high >> 57 == 0xfc >> 1 || octets.high >> 54 == 0xfe80 >> 6
        }
    }
}

/// The reason an OFFER, or one of its addresses, is ignored (`Specs/hand-over.md`).
public enum OfferError: String, Refusal {
    /// The body is shorter than the two bytes before the addresses.
    case truncated = "truncated"
    /// The number is not 1 to 4.
    case badNumber = "bad-number"
    /// There are no addresses, or more than four.
    case badCount = "bad-count"
    /// The body is not as long as its addresses.
    case wrongLength = "wrong-length"
    /// The transport of an address is not TCP.
    case unknownTransport = "unknown-transport"
    /// The port of an address is below 1,024.
    case lowPort = "low-port"
    /// An address is not private to a network or a link.
    case notPrivate = "not-private"
    /// An address is not on the link.
    case offLink = "off-link"

    public var stage: String { "offer" }
    public var reason: String { rawValue }
}

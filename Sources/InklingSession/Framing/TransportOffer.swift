public import InklingKeys

/// Another way to reach the sender of an OFFER record (`Specs/records.md`).
public struct TransportOffer: Hashable, Sendable {
    /// The longest address in bytes.
    public static let addressLimit = 64

    /// The link technology.
    public let transport: TransportCode
    /// Where, in the form of that technology; 1 to `addressLimit` bytes.
    public let address: [UInt8]

    /// An offer to send.
    ///
    /// - Throws: `TransportOfferError.wrongLength`.
    public init(_ transport: TransportCode, address: [UInt8]) throws(TransportOfferError) {
        guard (1...Self.addressLimit).contains(address.count) else { throw .wrongLength }
        self.transport = transport
        self.address = address
    }

    /// Reads the body of a record.
    ///
    /// - Throws: `TransportOfferError`.
    public init(parsing body: Span<UInt8>) throws(TransportOfferError) {
        guard (2...1 + Self.addressLimit).contains(body.count) else { throw .wrongLength }
        guard let transport = TransportCode(rawValue: body[0]) else { throw .unknownTransport }
        self.transport = transport
        address = (1..<body.count).map { body[$0] }
    }

    /// The record that says this.
    public var record: Record {
        Record(.offer) { writer in
            writer.append(u8: transport.rawValue)
            writer.append(address.span)
        }
    }
}

/// Why an OFFER is refused (`Specs/records.md`).
public enum TransportOfferError: String, Refusal {
    case wrongLength = "wrong-length"
    case unknownTransport = "unknown-transport"

    public var stage: String { "offer" }
    public var reason: String { rawValue }
}

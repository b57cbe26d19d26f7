internal import InklingKeys

/// Another address at which the sender of an OFFER record can be reached over TCP (`Specs/records.md`). This version
/// defines addresses for no other transport.
public struct TransportOffer: Hashable, Sendable {
    /// The IP address, 4 or 16 bytes.
    public let address: [UInt8]
    /// The TCP port.
    public let port: UInt16

    /// Creates an offer to send; returns nil unless the address has 4 or 16 bytes.
    public init?(address: [UInt8], port: UInt16) {
        guard [4, 16].contains(address.count) else { return nil }
        self.address = address
        self.port = port
    }

    /// Parses the body of a record; returns nil for an offer that this version cannot use, which the caller ignores.
    public init?(parsing body: Span<UInt8>) {
        var fields = ByteReader()
        guard [7, 19].contains(body.count), fields.u8(of: body) == Transport.tcp.code,
            let address = fields.skip(body.count - 3, of: body), let port = fields.u16(of: body)
        else { return nil }
        self.address = address.map { body[$0] }
        self.port = port
    }

    /// The record to send.
    public var record: Record {
        Record(.offer) { writer in
            writer.append(u8: Transport.tcp.code)
            writer.append(address.span)
            writer.append(u16: port)
        }
    }
}

internal import InklingKeys

/// Another address at which the sender of an OFFER record can be reached over TCP (`Specs/records.md`); this version
/// defines no addresses of other transports.
public struct TransportOffer: Hashable, Sendable {
    /// The IP address: 4 or 16 bytes.
    public let address: [UInt8]
    /// The TCP port.
    public let port: UInt16

    /// An offer to send, or nil unless the address has 4 or 16 bytes.
    public init?(address: [UInt8], port: UInt16) {
        guard [4, 16].contains(address.count) else { return nil }
        self.address = address
        self.port = port
    }

    /// Reads the body of a record; nil for what this version cannot use, which is ignored.
    public init?(parsing body: Span<UInt8>) {
        guard [7, 19].contains(body.count), body[0] == Transport.tcp.rawValue else { return nil }
        address = (1..<body.count - 2).map { body[$0] }
        port = UInt16(truncatingIfNeeded: body.bigEndian(at: body.count - 2, count: 2))
    }

    /// The record that says this.
    public var record: Record {
        Record(.offer) { writer in
            writer.append(u8: Transport.tcp.rawValue)
            writer.append(address.span)
            writer.append(u16: port)
        }
    }
}

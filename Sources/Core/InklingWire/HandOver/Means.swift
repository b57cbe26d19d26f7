public import InklingKeys

extension RecordType {
    /// The transports that the sender's program implements.
    public static let means = RecordType(rawValue: 0x07)
}

/// The transports that a device can use, whether or not it can be reached over them now (`Specs/records.md`). It names no
/// program, no version and no system.
public struct Means: Hashable, Sendable {
    /// The transports.
    public let transports: TransportSet

    /// Creates the means of a device.
    public init(transports: TransportSet) { self.transports = transports }

    /// Parses the body of a record; returns nil for one of fewer than two bytes, which the receiver ignores. Bytes
    /// after the transports have no meaning in this version.
    public init?(parsing body: Span<UInt8>) {
        var fields = ByteReader()
        guard let value = fields.u16(of: body) else { return nil }
        transports = TransportSet(rawValue: value).intersection(.known)
    }

    /// The record to send.
    public var record: Record { Record(.means) { $0.append(u16: transports.rawValue) } }
}

internal import InklingKeys
package import InklingWire

/// The stored state of the delivery between this device and one other, without the texts (`Specs/message-store.md`).
package struct StoredDelivery: Hashable, Sendable {
    private static let version: UInt8 = 1

    package var base: UInt64 = 0
    package var next: UInt64 = 1
    package var last: SyncReceipt.Last?
    package var arrivals: UInt64 = 0
    package var taken: UInt64 = 0

    /// Creates the state before any exchange.
    package init() {}

    /// Returns the state for the machine; nil if the fields are inconsistent.
    package func state(queuedBytes: UInt64, unreadBytes: UInt64) -> SyncState? {
        guard
            let outgoing = SyncState.Outgoing(base: base, next: next, byteCount: queuedBytes),
            let incoming = SyncState.Incoming(last: last, arrivals: arrivals, taken: taken, byteCount: unreadBytes)
        else { return nil }
        return SyncState(outgoing: outgoing, incoming: incoming)
    }

    /// The encoded row.
    package var body: [UInt8] {
        var body: [UInt8] = []
        body.append(u8: Self.version)
        body.append(u64: base)
        body.append(u64: next)
        body.append(u64: last?.stream.rawValue ?? 0)
        body.append(u64: last?.number ?? 0)
        body.append(optional: last?.id)
        body.append(u64: arrivals)
        body.append(u64: taken)
        return body
    }

    /// Parses the body of a row; returns nil for anything else.
    package init?(parsing body: [UInt8]) {
        var fields = ByteReader()
        let bytes = body.span
        guard fields.u8(of: bytes) == Self.version, let base = fields.u64(of: bytes),
            let next = fields.u64(of: bytes), let lastStream = fields.u64(of: bytes),
            let lastNumber = fields.u64(of: bytes), let lastID = fields.octets16(of: bytes),
            let arrivals = fields.u64(of: bytes), let taken = fields.u64(of: bytes), fields.offset == bytes.count
        else { return nil }
        self.base = base
        self.next = next
        self.arrivals = arrivals
        self.taken = taken
        if let stream = StreamID(rawValue: lastStream), let id = TextID(rawValue: lastID) {
            last = SyncReceipt.Last(stream: stream, number: lastNumber, id: id)
        }
        guard state(queuedBytes: 0, unreadBytes: 0) != nil else { return nil }
    }
}

/// A row of a message, without its text.
package struct MessageRow: Hashable, Sendable {
    private static let version: UInt8 = 1
    private static let headByteCount = 49

    package let id: TextID
    /// The time at which the user wrote the message, in Unix seconds; 0 if unknown.
    package let writtenAt: UInt64
    /// The time of expiry if queued, of acknowledgement if delivered, or of arrival if received, in Unix seconds.
    package let time: UInt64
    /// The message's stream and number in receipts, if it was received.
    package var last: (stream: UInt64, number: UInt64) = (0, 0)
    /// The length of the text in bytes; 0 without one.
    package var textByteCount: Int

    package static func == (left: Self, right: Self) -> Bool {
        (left.id, left.writtenAt, left.time, left.textByteCount)
            == (right.id, right.writtenAt, right.time, right.textByteCount) && left.last == right.last
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }

    package init(_ id: TextID, writtenAt: UInt64, time: UInt64, textByteCount: Int) {
        self.id = id
        self.writtenAt = writtenAt
        self.time = time
        self.textByteCount = textByteCount
    }

    /// Returns the body of the row with a text.
    package func body(_ text: String?) -> [UInt8] {
        var body: [UInt8] = []
        body.append(u8: Self.version)
        body.append(id.rawValue)
        body.append(u64: writtenAt)
        body.append(u64: time)
        body.append(u64: last.stream)
        body.append(u64: last.number)
        body += Array((text ?? "").utf8)
        return body
    }

    /// Parses the beginning of a body of this length; returns nil if it is malformed.
    package init?(_ prefix: [UInt8], byteCount: Int) {
        var fields = ByteReader()
        let bytes = prefix.span
        guard fields.u8(of: bytes) == Self.version,
            let id = fields.octets16(of: bytes).flatMap(TextID.init(rawValue:)),
            let writtenAt = fields.u64(of: bytes), let time = fields.u64(of: bytes),
            let stream = fields.u64(of: bytes), let number = fields.u64(of: bytes)
        else { return nil }
        self.init(id, writtenAt: writtenAt, time: time, textByteCount: byteCount - Self.headByteCount)
        last = (stream, number)
    }

    /// Returns the text in a body; nil if there is none.
    package static func text(of body: [UInt8]) -> String? {
        guard body.count > headByteCount else { return nil }
        return String(validating: body[headByteCount...], as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate mutating func append(optional id: TextID?) { append(id?.rawValue ?? Octets16(high: 0, low: 0)) }
}

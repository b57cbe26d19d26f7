/// Splits the bytes of an ESPHome device into frames.
struct ESPHomeFrames: Sendable {
    /// The longest encrypted frame in bytes, without its header: a message of 32,768 bytes and its overhead.
    static let limit = 32_768 + 64
    /// The longest frame in bytes before the handshake has ended.
    static let handshakeLimit = 256

    /// A frame.
    enum Frame: Hashable, Sendable {
        /// The contents of an encrypted frame, or of a handshake frame.
        case enclosed([UInt8])
        case plain(type: UInt16, [UInt8])
    }

    private let isEncrypted: Bool
    private var buffer: [UInt8] = []
    /// The start of the next frame in the buffer. Consumed bytes are removed when more arrive rather than per frame: a
    /// read of 64 KiB can hold thousands.
    private var start = 0

    /// Creates a splitter for a connection with or without encryption.
    init(isEncrypted: Bool) { self.isEncrypted = isEncrypted }

    /// Appends received bytes.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// Returns the next complete frame; `nil` until there is one.
    ///
    /// - Throws: `ESPHomeError`, as soon as a frame's header is invalid.
    mutating func next(limit: Int = limit) throws(ESPHomeError) -> Frame? {
        guard start < buffer.count else { return nil }
        let mark = buffer[start]
        return isEncrypted ? try enclosed(mark, limit) : try plain(mark, limit)
    }

    private mutating func enclosed(_ mark: UInt8, _ limit: Int) throws(ESPHomeError) -> Frame? {
        guard mark == 1 else { throw mark == 0 ? .onlyPlaintext : .badMessage }
        let head = start + 3
        guard buffer.count >= head else { return nil }
        let length = Int(buffer[start + 1]) << 8 | Int(buffer[start + 2])
        guard length <= limit else { throw .badMessage }
        guard buffer.count >= head + length else { return nil }
        start = head + length
        return .enclosed(Array(buffer[head..<start]))
    }

    private mutating func plain(_ mark: UInt8, _ limit: Int) throws(ESPHomeError) -> Frame? {
        guard mark == 0 else { throw mark == 1 ? .needsKey : .badMessage }
        guard let length = try number(at: start + 1), let type = try number(at: length.next) else { return nil }
        guard length.value <= UInt64(limit), let number = UInt16(exactly: type.value) else { throw .badMessage }
        let end = type.next + Int(length.value)
        guard buffer.count >= end else { return nil }
        start = end
        return .plain(type: number, Array(buffer[type.next..<end]))
    }

    /// Reads a number in the header, at most three bytes long; `nil` until it is complete.
    private func number(at place: Int) throws(ESPHomeError) -> (value: UInt64, next: Int)? {
        if let number = FieldReader.number(at: place, before: place + 3, of: buffer) { return number }
        guard buffer.count < place + 3 else { throw .badMessage }
        return nil
    }

    /// Wraps contents in a frame of an encrypted connection.
    static func enclose(_ contents: [UInt8]) -> [UInt8] {
        [1, UInt8(truncatingIfNeeded: contents.count >> 8), UInt8(truncatingIfNeeded: contents.count)] + contents
    }

    /// Returns a frame of an unencrypted connection.
    static func plain(_ message: ESPHomeMessage) -> [UInt8] {
        let (type, body) = message.encoded
        var frame: [UInt8] = [0]
        frame.append(number: UInt64(body.count))
        frame.append(number: UInt64(type))
        return frame + body
    }
}

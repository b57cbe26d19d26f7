public import CInkling
internal import InklingKeys
internal import InklingWire

@c @implementation
public func inkling_message_body(
    _ head: UnsafePointer<inkling_message>?, _ text: UnsafePointer<CChar>?, _ textCount: Int,
    _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let message = try unsafe syncMessage(head, text, textCount)
        try message.record.withBody { body throws(Fault) in try out.set(body) }
    }
}

@c @implementation
public func inkling_message_read(
    _ body: UnsafePointer<UInt8>?, _ count: Int, _ head: UnsafeMutablePointer<inkling_message>?,
    _ start: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutText(start, capacity, needed: needed)
        let headOut = try unsafe OutStructure(head)
        let message = try unsafe withInput(body, count) { bytes throws(Fault) in
            do throws(SyncError) { return try SyncMessage(parsing: bytes) } catch { throw Fault(error) }
        }
        try out.set(message.text ?? "")
        headOut.set { filled in
            filled.has_text = message.text == nil ? 0 : 1
            filled.number = message.number
            filled.written_at = message.writtenAt
            write(message.id.rawValue, to: &filled.id)
        }
    }
}

@c @implementation
public func inkling_receipt_body(
    _ receipt: UnsafePointer<inkling_receipt>?, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let given = try unsafe inkling_receipt.read(receipt)
        let last = try lastText(given.stream, given.number, octets(of: given.id))
        guard let room = UInt16(exactly: given.room) else { throw Fault(SyncError.outOfRange) }
        let said = try refusing { () throws(SyncError) in try SyncReceipt(last: last, room: room) }
        try said.record.withBody { body throws(Fault) in try out.set(body) }
    }
}

@c @implementation
public func inkling_receipt_read(
    _ body: UnsafePointer<UInt8>?, _ count: Int, _ receipt: UnsafeMutablePointer<inkling_receipt>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutStructure(receipt)
        let read = try unsafe withInput(body, count) { bytes throws(Fault) in
            do throws(SyncError) { return try SyncReceipt(parsing: bytes) } catch { throw Fault(error) }
        }
        out.set { filled in
            filled.room = UInt32(read.room)
            guard let last = read.last else { return }
            filled.stream = last.stream.rawValue
            filled.number = last.number
            write(last.id.rawValue, to: &filled.id)
        }
    }
}

@c @implementation
public func inkling_stream_body(
    _ stream: UInt64, _ first: UInt64, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        guard let stream = StreamID(rawValue: stream) else { throw Fault(SyncError.outOfRange) }
        let announced = try refusing { () throws(SyncError) in try SyncStream(stream: stream, first: first) }
        try announced.record.withBody { body throws(Fault) in try out.set(body) }
    }
}

@c @implementation
public func inkling_stream_read(
    _ body: UnsafePointer<UInt8>?, _ count: Int, _ stream: UnsafeMutablePointer<UInt64>?,
    _ first: UnsafeMutablePointer<UInt64>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let (streamOut, firstOut) = (try unsafe Out(stream), try unsafe Out(first))
        let announced = try unsafe withInput(body, count) { bytes throws(Fault) in
            do throws(SyncError) { return try SyncStream(parsing: bytes) } catch { throw Fault(error) }
        }
        streamOut.set(announced.stream.rawValue)
        firstOut.set(announced.first)
    }
}

/// Reads a message from its header and its text.
///
/// - Throws: `SyncError` as a refusal, and the faults of the pointers.
func syncMessage(
    _ head: UnsafePointer<inkling_message>?, _ text: UnsafePointer<CChar>?, _ textCount: Int
) throws(Fault) -> SyncMessage {
    let head = try unsafe inkling_message.read(head)
    let hasText = try flag(head.has_text)
    let text = try unsafe withText(text, textCount) { bytes throws(Fault) -> String? in
        guard hasText || bytes.isEmpty, bytes.count <= SyncMessage.textLimit else { throw Fault(SyncError.wrongLength) }
        guard hasText else { return nil }
        guard let text = String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self) else {
            throw Fault(SyncError.notUTF8)
        }
        return text
    }
    guard let id = TextID(rawValue: octets(of: head.id)) else { throw Fault(SyncError.outOfRange) }
    return try refusing { () throws(SyncError) in
        try SyncMessage(number: head.number, id: id, writtenAt: head.written_at, text: text)
    }
}

/// Reads the name of a text in receipts; `nil` if every part is zero.
///
/// - Throws: `SyncError.outOfRange`, or `.incomplete` if only some parts are zero, as refusals.
func lastText(_ stream: UInt64, _ number: UInt64, _ id: Octets16) throws(Fault) -> SyncReceipt.Last? {
    guard number < 1 << 63 else { throw Fault(SyncError.outOfRange) }
    if let stream = StreamID(rawValue: stream), let id = TextID(rawValue: id),
        let last = SyncReceipt.Last(stream: stream, number: number, id: id)
    {
        return last
    }
    guard stream == 0, number == 0, TextID(rawValue: id) == nil else { throw Fault(SyncError.incomplete) }
    return nil
}

/// Reads an array of 16 bytes.
func octets<Array: BitwiseCopyable>(of array: Array) -> Octets16 {
    let bytes = unsafe withUnsafeBytes(of: array) { unsafe [UInt8]($0) }
    return Octets16(bytes.span) ?? Octets16(high: 0, low: 0)
}

extension inkling_message: Sized {
    static var leastSize: Int { 40 }
}

extension inkling_receipt: Sized {
    static var leastSize: Int { 40 }
}

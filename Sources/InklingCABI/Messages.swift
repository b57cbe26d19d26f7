public import CInkling
internal import InklingKeys
internal import InklingSession

@c @implementation
public func inkling_session_later_stays(
    _ existing: UInt32, _ later: UInt32, _ apart: UInt64, _ ownKey: UnsafePointer<UInt8>?, _ ownCount: Int,
    _ peerKey: UnsafePointer<UInt8>?, _ peerCount: Int, _ laterStays: UnsafeMutablePointer<UInt32>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(laterStays)
        let (existing, later) = (try role(existing), try role(later))
        let (own, peer) = (try unsafe publicKey(ownKey, ownCount), try unsafe publicKey(peerKey, peerCount))
        let survivor = CrossingRule.survivor(
            existing: existing, new: later, apart: .milliseconds(apart), ownKey: own, peerKey: peer)
        out.set(survivor == .new ? 1 : 0)
    }
}

@c @implementation
public func inkling_message_body(
    _ number: UInt64, _ text: UnsafePointer<CChar>?, _ textCount: Int, _ start: UnsafeMutablePointer<UInt8>?,
    _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let message = try unsafe withText(text, textCount) { bytes throws(Fault) in
            guard bytes.count <= TextMessage.byteLimit else { throw Fault(TextMessageError.wrongLength) }
            guard let text = String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self) else {
                throw Fault(TextMessageError.notUTF8)
            }
            return try refusing { () throws(TextMessageError) in try TextMessage(number: number, text: text) }
        }
        try message.record.withBody { body throws(Fault) in try out.set(body) }
    }
}

@c @implementation
public func inkling_message_read(
    _ body: UnsafePointer<UInt8>?, _ count: Int, _ number: UnsafeMutablePointer<UInt64>?,
    _ start: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutText(start, capacity, needed: needed)
        let numberOut = try unsafe Out(number)
        let message = try unsafe withInput(body, count) { bytes throws(Fault) in
            do throws(TextMessageError) {
                return try TextMessage(parsing: bytes)
            } catch {
                throw Fault(error)
            }
        }
        try out.set(message.text)
        numberOut.set(message.number)
    }
}

/// Converts an `inkling_role`.
///
/// - Throws: `INKLING_OUT_OF_RANGE`.
private func role(_ number: UInt32) throws(Fault) -> Role {
    switch number {
    case INKLING_ROLE_INITIATOR.rawValue: .initiator
    case INKLING_ROLE_RESPONDER.rawValue: .responder
    default: throw Fault(INKLING_OUT_OF_RANGE)
    }
}

public import CInkling
internal import InklingKeys
internal import InklingWire

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

public import CInkling
internal import InklingKeys

@c @implementation
public func inkling_invitation_new(
    _ card: inkling_handle, _ transports: UInt16, _ minutes: UInt32, _ unixSeconds: UInt64,
    _ invitation: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(invitation)
        let transports = TransportSet(rawValue: transports)
        guard !transports.isEmpty, TransportSet.known.isSuperset(of: transports),
            minutes > 0, .seconds(UInt64(minutes) * 60) <= Invitation.longestLife, minute(of: unixSeconds) != nil
        else { throw Fault(INKLING_OUT_OF_RANGE) }
        var generator = Randomness()
        let opened = Invitation(
            to: try borrowed(card, ContactCard.self), transports: transports, lasting: .seconds(UInt64(minutes) * 60),
            from: unixSeconds, using: &generator)
        out.set(try HandleTable.shared.add(opened))
    }
}

@c @implementation
public func inkling_invitation_read_text(
    _ text: UnsafePointer<CChar>?, _ count: Int, _ unixSeconds: UInt64,
    _ invitation: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(invitation)
        let minute = try inRange(minute(of: unixSeconds))
        let content = try unsafe content(of: text, count, .invitation)
        let read = try content.withBytes { bytes throws(Fault) in
            do throws(InvitationError) {
                return try Invitation(parsing: bytes, minute: minute)
            } catch {
                throw Fault(error)
            }
        }
        out.set(try HandleTable.shared.add(read))
    }
}

@c @implementation
public func inkling_invitation_facts_of(
    _ invitation: inkling_handle, _ facts: UnsafeMutablePointer<inkling_invitation_facts>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(facts)
        let invitation = try borrowed(invitation, Invitation.self)
        out.set { filled in
            filled.transports = invitation.transports.rawValue
            filled.expiry_minute = invitation.expiryMinute
            write(invitation.commitment, to: &filled.commitment)
        }
    }
}

@c @implementation
public func inkling_invitation_text(
    _ invitation: inkling_handle, _ start: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutText(start, capacity, needed: needed)
        let bytes = try borrowed(invitation, Invitation.self).encoded()
        let text = try bytes.withBytes { bytes throws(Fault) in
            do throws(TextFormError) {
                return try TextForm.encode(.invitation, bytes)
            } catch {
                throw Fault(error)
            }
        }
        try out.set(text)
    }
}

@c @implementation
public func inkling_invitation_tree(
    _ invitation: inkling_handle, _ tree: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(tree)
        let keys = try borrowed(invitation, Invitation.self).keys()
        out.set(try HandleTable.shared.add(AudienceTree(root: keys.root.duplicate())))
    }
}

/// Returns the minute of Unix time; `nil` if it does not fit into 32 bits.
private func minute(of unixSeconds: UInt64) -> UInt32? { UInt32(exactly: unixSeconds / 60) }

extension inkling_invitation_facts: Sized {
    static var leastSize: Int { 28 }
}

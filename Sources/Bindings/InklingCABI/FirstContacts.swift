public import CInkling
internal import InklingKeys
internal import InklingWire

/// A joiner whose first message was accepted. `joiner` is `nil` once its last message was received.
private struct HeldPendingJoiner: ~Copyable, Sendable {
    let packet: [UInt8]
    var joiner: PendingJoiner?

    init(_ joiner: consuming PendingJoiner) {
        packet = joiner.packet.bytes
        self.joiner = consume joiner
    }
}

/// A join that this device started with an invitation. `joiner` is `nil` once the inviter's reply was received.
private struct HeldJoiner: ~Copyable, Sendable {
    let packet: [UInt8]
    let use: inkling_use
    var joiner: Joiner?
}

@c @implementation
public func inkling_inviter_new(
    _ invitation: inkling_handle, _ use: UInt32, _ card: inkling_handle, _ attempts: UnsafePointer<UInt8>?,
    _ attemptsCount: Int, _ inviter: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(inviter)
        let use = try purpose(use)
        let restored = try unsafe withInput(attempts, attemptsCount) { bytes throws(Fault) in
            guard bytes.count.isMultiple(of: 32) else { throw Fault(INKLING_WRONG_LENGTH) }
            return stride(from: 0, to: bytes.count, by: 32).compactMap { Octets32(bytes.extracting($0..<$0 + 32)) }
        }
        let invitation = try borrowed(invitation, Invitation.self)
        let card = try borrowed(card, ContactCard.self)
        out.set(
            try HandleTable.shared.add(Inviter(invitation, for: use, ownCard: card, attempts: restored)))
    }
}

@c @implementation
public func inkling_inviter_is_open(
    _ inviter: inkling_handle, _ unixMilliseconds: UInt64, _ open: UnsafeMutablePointer<UInt32>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(open)
        let isOpen = try HandleTable.shared.with(inviter, Inviter.self) { $0.isOpen(at: unixMilliseconds) }
        out.set(isOpen ? 1 : 0)
    }
}

@c @implementation
public func inkling_inviter_receive(
    _ inviter: inkling_handle, _ packet: UnsafePointer<UInt8>?, _ count: Int, _ transport: UInt32,
    _ deviceKey: inkling_handle, _ responder: inkling_handle, _ tick: UInt64, _ unixMilliseconds: UInt64,
    _ pendingJoiner: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(pendingJoiner)
        let transport = try code(transport)
        let deviceKey = try borrowed(deviceKey, SecretBox<NoiseKeyPair>.self)
        let packet = try unsafe parsed(packet, count)
        let pendingJoiner = try HandleTable.shared.with(responder, ConfirmResponder.self) { responder throws(Fault) in
            try HandleTable.shared.with(inviter, Inviter.self) { inviter throws(Fault) in
                var generator = Randomness()
                return try refusing { () throws(HandshakeError) in
                    HeldPendingJoiner(
                        try inviter.receive(
                            packet, transport: transport, deviceKey: deviceKey.value, budget: &responder.nodeBudget,
                            at: tick, unixMilliseconds: unixMilliseconds, using: &generator))
                }
            }
        }
        out.set(try HandleTable.shared.add(pendingJoiner))
    }
}

@c @implementation
public func inkling_inviter_attempts(
    _ inviter: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        var bytes: [UInt8] = []
        for attempt in try HandleTable.shared.with(inviter, Inviter.self, { $0.attempts }) { bytes.append(attempt) }
        try out.set(bytes.span)
    }
}

@c @implementation
public func inkling_pending_joiner_packet(
    _ pendingJoiner: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let packet = try HandleTable.shared.with(pendingJoiner, HeldPendingJoiner.self) { $0.packet }
        try out.set(packet.span)
    }
}

@c @implementation
public func inkling_inviter_complete(
    _ inviter: inkling_handle, _ pendingJoiner: inkling_handle, _ packet: UnsafePointer<UInt8>?, _ count: Int,
    _ unixMilliseconds: UInt64, _ session: UnsafeMutablePointer<inkling_handle>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(session)
        let period = try inRange(Epoch(containing: unixMilliseconds / 1000)?.period)
        let packet = try unsafe parsed(packet, count)
        let session = try HandleTable.shared.with(inviter, Inviter.self) { inviter throws(Fault) in
            try HandleTable.shared.with(pendingJoiner, HeldPendingJoiner.self) { pendingJoiner throws(Fault) in
                guard let joiner = pendingJoiner.joiner.take() else { throw Fault(INKLING_SPENT) }
                let use = number(inviter.use)
                do throws(HandshakeError) {
                    return Session(
                        try inviter.complete(joiner, with: packet, now: period, unixMilliseconds: unixMilliseconds), use
                    )
                } catch {
                    throw Fault(error)
                }
            }
        }
        out.set(try HandleTable.shared.add(session))
    }
}

@c @implementation
public func inkling_joiner_new(
    _ invitation: inkling_handle, _ use: UInt32, _ card: inkling_handle, _ transport: UInt32,
    _ deviceKey: inkling_handle, _ join: UnsafeMutablePointer<inkling_handle>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(join)
        let (use, transport) = (try purpose(use), try code(transport))
        let reason: Joiner.Purpose
        switch use {
        case .firstContact: reason = .firstContact(try borrowed(card, ContactCard.self))
        case .deviceLink:
            guard card == 0 else { throw Fault(INKLING_OUT_OF_RANGE) }
            reason = .deviceLink
        }
        let invitation = try borrowed(invitation, Invitation.self)
        let deviceKey = try borrowed(deviceKey, SecretBox<NoiseKeyPair>.self)
        var generator = Randomness()
        let joiner: Joiner
        do throws(HandshakeError) {
            joiner = try Joiner(
                invitation, for: reason, transport: transport, deviceKey: deviceKey.value, using: &generator)
        } catch {
            throw Fault(error)
        }
        out.set(
            try HandleTable.shared.add(HeldJoiner(packet: joiner.packet.bytes, use: number(use), joiner: joiner)))
    }
}

@c @implementation
public func inkling_joiner_packet(
    _ join: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let packet = try HandleTable.shared.with(join, HeldJoiner.self) { $0.packet }
        try out.set(packet.span)
    }
}

@c @implementation
public func inkling_joiner_receive(
    _ join: inkling_handle, _ packet: UnsafePointer<UInt8>?, _ count: Int, _ unixMilliseconds: UInt64,
    _ session: UnsafeMutablePointer<inkling_handle>?, _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(session)
        let period = try inRange(Epoch(containing: unixMilliseconds / 1000)?.period)
        let packet = try unsafe parsed(packet, count)
        let session = try HandleTable.shared.with(join, HeldJoiner.self) { join throws(Fault) in
            let use = join.use
            guard let joiner = join.joiner.take() else { throw Fault(INKLING_SPENT) }
            do throws(HandshakeError) {
                return Session(
                    try joiner.receive(packet, now: period, unixMilliseconds: unixMilliseconds), use)
            } catch {
                throw Fault(error)
            }
        }
        out.set(try HandleTable.shared.add(session))
    }
}

/// Converts an `inkling_use` other than `INKLING_USE_CONFIRM`.
///
/// - Throws: `INKLING_OUT_OF_RANGE`.
private func purpose(_ use: UInt32) throws(Fault) -> InvitationUse {
    switch use {
    case INKLING_USE_FIRST_CONTACT.rawValue: .firstContact
    case INKLING_USE_DEVICE_LINK.rawValue: .deviceLink
    default: throw Fault(INKLING_OUT_OF_RANGE)
    }
}

private func number(_ use: InvitationUse) -> inkling_use {
    use == .firstContact ? INKLING_USE_FIRST_CONTACT : INKLING_USE_DEVICE_LINK
}

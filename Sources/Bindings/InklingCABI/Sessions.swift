public import CInkling
internal import InklingKeys
internal import InklingWire

/// A session, before and after it is confirmed, and the last received record.
struct Session: ~Copyable, Sendable {
    fileprivate var unconfirmed: UnauthenticatedSession?
    fileprivate var established: EstablishedSession?
    fileprivate let packet: [UInt8]
    fileprivate let role: inkling_role
    fileprivate let use: inkling_use
    fileprivate let peerKey: Octets32
    fileprivate let introduction: PeerIntroduction
    fileprivate var last: (type: RecordType, body: SecretBox<SecretBytes>)?
    /// Whether a record of the peer, or the last message of its handshake, has decrypted.
    fileprivate var isConfirmed: Bool

    /// Creates the session of the side that received the last handshake message; it is confirmed.
    init(_ session: consuming EstablishedSession, _ use: inkling_use) {
        role = session.role == .initiator ? INKLING_ROLE_INITIATOR : INKLING_ROLE_RESPONDER
        packet = []
        self.use = use
        (peerKey, introduction) = (session.peerKey, session.introduction)
        isConfirmed = true
        established = consume session
    }

    /// Creates the session of the side that sends the last handshake message.
    init(_ session: consuming UnauthenticatedSession, _ use: inkling_use) {
        role = use == INKLING_USE_CONFIRM ? INKLING_ROLE_RESPONDER : INKLING_ROLE_INITIATOR
        packet = session.packet.bytes
        self.use = use
        (peerKey, introduction) = (session.peerKey, session.introduction)
        isConfirmed = false
        // In a first contact the joiner announces its user's decision before it has received anything.
        if use == INKLING_USE_FIRST_CONTACT {
            established = try? session.awaitingAcceptance()
        } else {
            unconfirmed = consume session
        }
    }
}

@c @implementation
public func inkling_session_facts_of(
    _ session: inkling_handle, _ facts: UnsafeMutablePointer<inkling_session_facts>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(facts)
        let known = try HandleTable.shared.with(session, Session.self) { $0.facts }
        out.set { $0 = known }
    }
}

@c @implementation
public func inkling_session_packet(
    _ session: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let packet = try HandleTable.shared.with(session, Session.self) { $0.packet }
        guard !packet.isEmpty else { throw Fault(INKLING_UNKNOWN) }
        try out.set(packet.span)
    }
}

@c @implementation
public func inkling_session_card(
    _ session: inkling_handle, _ card: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(card)
        let introduction = try HandleTable.shared.with(session, Session.self) { $0.introduction }
        guard case .card(let card, _) = introduction else { throw Fault(INKLING_UNKNOWN) }
        out.set(try HandleTable.shared.add(card))
    }
}

@c @implementation
public func inkling_session_fingerprint(
    _ session: inkling_handle, _ start: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutText(start, capacity, needed: needed)
        let text = try HandleTable.shared.with(session, Session.self) { $0.fingerprint }
        guard let text else { throw Fault(INKLING_SPENT) }
        try out.set(text)
    }
}

@c @implementation
public func inkling_session_pairwise(
    _ session: inkling_handle, _ secret: UnsafeMutablePointer<inkling_handle>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe Out(secret)
        let key = try HandleTable.shared.with(session, Session.self) { session throws(Fault) in
            guard let key = session.pairwiseKey() else { throw Fault(INKLING_UNKNOWN) }
            return SharedSecret(bytes: key)
        }
        out.set(try HandleTable.shared.add(key))
    }
}

@c @implementation
public func inkling_session_grant_report(
    _ session: inkling_handle, _ index: Int, _ grant: UnsafeMutablePointer<inkling_grant_report>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutStructure(grant)
        let held = try HandleTable.shared.with(session, Session.self) { $0.peerHello?.grants ?? [] }
        guard held.indices.contains(index) else { throw Fault(INKLING_UNKNOWN) }
        out.set { filled in
            filled.generation = held[index].generation
            filled.audience_id = held[index].audience.value
            filled.to_period = held[index].to.number
        }
    }
}

@c @implementation
public func inkling_session_hello(
    _ session: inkling_handle, _ ownSerial: UInt32, _ peerSerial: UInt32, _ grants: UnsafePointer<inkling_handle>?,
    _ grantCount: Int, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        var held: [Hello.GrantReport] = []
        for handle in try unsafe list(grants, grantCount, limit: Hello.grantLimit) {
            let grant = try borrowed(handle, Grant.self)
            held.append(Hello.GrantReport(audience: grant.audience, generation: grant.generation, to: grant.to))
        }
        let hello = try refusing { () throws(HelloError) in
            try Hello(ownSerial: ownSerial, peerSerial: peerSerial, grants: held)
        }
        var writer = SecretWriter()
        hello.append(to: &writer)
        try seal(session, .hello, writer.finish(), out)
    }
}

@c @implementation
public func inkling_session_seal(
    _ session: inkling_handle, _ type: UInt8, _ body: UnsafePointer<UInt8>?, _ count: Int,
    _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let body = try unsafe withInput(body, count) { SecretBytes(copying: $0) }
        guard body.count <= Record.bodyLimit else { throw Fault(RecordError.tooLong) }
        try seal(session, RecordType(rawValue: type), body, out)
    }
}

@c @implementation
public func inkling_session_seal_grant(
    _ session: inkling_handle, _ grant: inkling_handle, _ roster: inkling_handle,
    _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        try seal(session, .grant, try signed(grant, by: roster), out)
    }
}

@c @implementation
public func inkling_session_receive(
    _ session: inkling_handle, _ packet: UnsafePointer<UInt8>?, _ count: Int, _ type: UnsafeMutablePointer<UInt8>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(type)
        let packet = try unsafe parsed(packet, count)
        let type = try HandleTable.shared.with(session, Session.self) { session throws(Fault) in
            do throws(SessionError) {
                return try session.receive(packet)
            } catch {
                throw Fault(error)
            }
        }
        out.set(type.rawValue)
    }
}

@c @implementation
public func inkling_session_body(
    _ session: inkling_handle, _ start: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ needed: UnsafeMutablePointer<Int>?
) -> inkling_status {
    catchingFaults { () throws(Fault) in
        let out = try unsafe OutBytes(start, capacity, needed: needed)
        let body = try lastBody(of: session) { $0 != .grant && $0 != .state }
        try body.value.withBytes { bytes throws(Fault) in try out.set(bytes) }
    }
}

@c @implementation
public func inkling_session_grant(
    _ session: inkling_handle, _ issuer: UnsafePointer<UInt8>?, _ issuerCount: Int, _ grantee: UnsafePointer<UInt8>?,
    _ granteeCount: Int, _ period: UInt32, _ heldGeneration: UInt32, _ grant: UnsafeMutablePointer<inkling_handle>?,
    _ refusal: UnsafeMutablePointer<inkling_refusal>?
) -> inkling_status {
    unsafe catchingFaults(refusingInto: refusal) { () throws(Fault) in
        let out = try unsafe Out(grant)
        let reader = try unsafe GrantReader(
            issuer, issuerCount, grantee, granteeCount, now: period, heldGeneration: heldGeneration)
        let body = try lastBody(of: session) { $0 == .grant }
        let grant = try body.value.withBytes { bytes throws(Fault) in try reader.read(bytes) }
        out.set(try HandleTable.shared.add(grant))
    }
}

@c @implementation
public func inkling_session_end(_ session: inkling_handle) -> inkling_status {
    catchingFaults { () throws(Fault) in
        try HandleTable.shared.with(session, Session.self) { session in
            session.unconfirmed = nil
            session.established?.end()
            session.last = nil
        }
    }
}

/// Encrypts a record into a caller's buffer. Checks the length first, because an encrypted record must be sent.
private func seal(
    _ session: inkling_handle, _ type: RecordType, _ body: borrowing SecretBytes, _ out: OutBytes
) throws(Fault) {
    let record = try refusing { () throws(RecordError) in try Record(type, body: body) }
    let count = 1 + Record.paddedCount(ofBody: body.count) + AuthenticatedCipher.tagByteCount
    let packet = try HandleTable.shared.with(session, Session.self) { session throws(Fault) in
        try out.expect(count)
        guard let packet = try session.seal(record) else { throw Fault(INKLING_SPENT) }
        return packet.bytes
    }
    try out.set(packet.span)
}

/// Returns the body of the last received record, if `isFit` accepts its type.
///
/// - Throws: `INKLING_UNKNOWN` if there is none, `INKLING_WRONG_KIND` for another type.
private func lastBody(
    of session: inkling_handle, if isFit: (RecordType) -> Bool
) throws(Fault) -> SecretBox<SecretBytes> {
    let last = try HandleTable.shared.with(session, Session.self) { session throws(Fault) in
        guard let last = session.last else { throw Fault(INKLING_UNKNOWN) }
        return last
    }
    guard isFit(last.type) else { throw Fault(INKLING_WRONG_KIND) }
    return last.body
}

extension Session {
    fileprivate mutating func receive(_ packet: Packet) throws(SessionError) -> RecordType {
        last = nil
        if let waiting = unconfirmed.take() {
            // The first record is HELLO, and the session keeps its contents.
            established = try waiting.receive(packet)
            var writer = SecretWriter()
            established?.peerHello?.append(to: &writer)
            last = (.hello, SecretBox(writer.finish()))
            isConfirmed = true
            return .hello
        }
        guard let record = try established?.open(packet) else { throw .ended }
        let type = record.type
        isConfirmed = true
        last = (type, SecretBox(record.withBody { SecretBytes(copying: $0) }))
        return type
    }

    /// Encrypts a record; `nil` before the session is confirmed, and if it ended unconfirmed.
    fileprivate mutating func seal(_ record: borrowing Record) throws(Fault) -> Packet? {
        do throws(SessionError) {
            return try established?.seal(record)
        } catch {
            throw Fault(error)
        }
    }

    fileprivate var facts: inkling_session_facts {
        var facts = inkling_session_facts()
        facts.role = role.rawValue
        facts.use = UInt8(truncatingIfNeeded: use.rawValue)
        switch introduction {
        case .contact(let payload): facts.introduction.fill(payload)
        case .card(_, let clock):
            facts.introduction.size = UInt32(MemoryLayout<inkling_introduction>.size)
            facts.introduction.unix_milliseconds = clock
        case .newDevice: facts.introduction.size = UInt32(MemoryLayout<inkling_introduction>.size)
        }
        let hello = peerHello
        facts.is_confirmed = isConfirmed ? 1 : 0
        facts.is_ended = hasEnded ?? !isWaiting ? 1 : 0
        facts.has_hello = hello == nil ? 0 : 1
        facts.own_serial = hello?.ownSerial ?? 0
        facts.peer_serial = hello?.peerSerial ?? 0
        write(peerKey, to: &facts.peer_key)
        return facts
    }

    fileprivate var peerHello: Hello? {
        switch established {
        case .some(let session): session.peerHello
        case .none: nil
        }
    }

    /// The text that two users compare; `nil` if the session ended unconfirmed.
    fileprivate var fingerprint: String? {
        switch established {
        case .some(let session): return session.exporter.fingerprint()
        case .none: break
        }
        switch unconfirmed {
        case .some(let session): return session.fingerprint()
        case .none: return nil
        }
    }

    /// Derives the secret for later calls; `nil` before the session of a device link is confirmed, and after a confirm
    /// handshake.
    fileprivate func pairwiseKey() -> SecretBytes? {
        guard use != INKLING_USE_CONFIRM else { return nil }
        switch established {
        case .some(let session): return session.exporter.pairwiseKey()
        case .none: return nil
        }
    }

    /// Whether the confirmed session has ended; `nil` if it was never confirmed.
    private var hasEnded: Bool? {
        switch established {
        case .some(let session): session.isEnded
        case .none: nil
        }
    }

    private var isWaiting: Bool {
        switch unconfirmed {
        case .some: true
        case .none: false
        }
    }
}

extension inkling_session_facts: Sized {
    static var leastSize: Int { 80 }
}

extension inkling_grant_report: Sized {
    static var leastSize: Int { 24 }
}

public import InklingKeys

/// The payload with which a peer introduced itself in the handshake.
public enum PeerIntroduction: Hashable, Sendable {
    /// The payload of a contact in a confirm handshake.
    case contact(ConfirmPayload)
    /// The card of a new contact in a first contact, or of the primary device in a device link. `unixMilliseconds` is
    /// the peer's clock, as a hint.
    case card(ContactCard, unixMilliseconds: UInt64)
    /// The new device of a device link, which sends no payload.
    case newDevice
}

/// A session whose peer has proven that it holds its keys now (`Specs/records.md`).
///
/// In a session of a first contact each side says first whether its user accepts (`Specs/first-contact.md`): until both
/// have sent ACCEPT, only ACCEPT, DECLINE and CLOSE are sealed and opened.
///
/// Both sides count the records, so records must arrive complete and in order. The first record that does not open ends
/// the session and wipes its keys.
public struct EstablishedSession: ~Copyable, Sendable {
    /// The maximum duration of a session, which the caller enforces.
    public static let lifetime: Duration = .seconds(24 * 3600)

    /// The role of this side in the handshake.
    public let role: Role
    /// The static key of the peer's device.
    public let peerKey: Octets32
    /// The payload with which the peer introduced itself.
    public let introduction: PeerIntroduction
    /// The secret from which keys for uses other than records are derived.
    public let exporter: Exporter
    /// The first record of the peer; nil until it has arrived.
    public private(set) var peerHello: Hello?
    /// For each version of TLS the transports whose key has been taken.
    package var takenTLSKeys: [TLSVersion: Set<Transport>] = [:]

    private var sending: CipherState?
    private var receiving: CipherState?
    private var hasSentHello = false
    /// The acceptances that are missing before HELLO in a session of a first contact.
    private var missing: Consent = []

    /// The acceptance of each user.
    private struct Consent: OptionSet {
        let rawValue: UInt8

        static let own = Consent(rawValue: 1)
        static let peer = Consent(rawValue: 2)
    }

    init(
        role: Role, peerKey: Octets32, introduction: PeerIntroduction, keys: consuming TransportKeys,
        isFirstContact: Bool = false
    ) {
        if isFirstContact { missing = [.own, .peer] }
        self.role = role
        self.peerKey = peerKey
        self.introduction = introduction
        exporter = keys.exporter()
        sending = keys.sending(as: role)
        receiving = keys.receiving(as: role)
    }

    /// Whether the session has ended, so that no record can be sealed or opened.
    public var isEnded: Bool {
        switch sending {
        case .some: false
        case .none: true
        }
    }

    /// Ends the session and wipes its keys.
    public mutating func end() {
        sending = nil
        receiving = nil
    }

    /// Whether this is the session of a first contact to which not both users have agreed yet.
    public var awaitsAcceptance: Bool { !missing.isEmpty }

    /// Encrypts a record and returns the packet to send next. The first record must be a HELLO; in a first contact it
    /// must be an ACCEPT, a DECLINE or a CLOSE, and the first record after both ACCEPTs a HELLO.
    ///
    /// - Throws: `SessionError.ended`; `.helloExpected` or `.acceptExpected` if another record must be first, and
    ///   `.accepted` for a DECLINE after ACCEPT, which do not end the session; `.nonceExhausted`, which ends it.
    public mutating func seal(_ record: borrowing Record) throws(SessionError) -> Packet {
        guard !isEnded else { throw .ended }
        if awaitsAcceptance {
            guard record.type.decides else { throw .acceptExpected }
            guard record.type != .decline || missing.contains(.own) else { throw .accepted }
        } else {
            guard hasSentHello || record.type == .hello else { throw .helloExpected }
        }
        var body: [UInt8] = []
        do {
            try record.withPlaintext { plaintext throws(NoiseError) in
                try sending?.encrypt(plaintext, associatedData: Span(), appendingTo: &body)
            }
        } catch {
            end()
            throw .nonceExhausted
        }
        if record.type == .accept { missing.remove(.own) }
        if record.type == .hello { hasSentHello = true }
        do { return try Packet(.record, body: body) } catch { throw .ended }
    }

    /// Decrypts the next packet of the peer.
    ///
    /// - Throws: `SessionError`. The session has then ended, and the caller sends nothing to the peer.
    public mutating func open(_ packet: Packet) throws(SessionError) -> Record {
        do throws(SessionError) {
            return try openOrThrow(packet)
        } catch {
            end()
            throw error
        }
    }

    private mutating func openOrThrow(_ packet: Packet) throws(SessionError) -> Record {
        guard !isEnded else { throw .ended }
        guard packet.type == .record else { throw .unexpectedPacket }
        let plaintext: SecretBytes?
        do {
            plaintext = try receiving?.decrypt(packet.body.span, associatedData: Span())
        } catch {
            throw error == .nonceExhausted ? .nonceExhausted : .notAuthentic
        }
        guard let plaintext else { throw .ended }
        let record: Record
        do {
            record = try Record(parsing: plaintext)
        } catch {
            throw .record(error)
        }
        if awaitsAcceptance {
            guard record.type.decides else { throw .acceptExpected }
            if record.type == .accept { missing.remove(.peer) }
            return record
        }
        if peerHello == nil {
            guard record.type == .hello else { throw .helloExpected }
            do {
                peerHello = try record.withBody { body throws(HelloError) in try Hello(parsing: body) }
            } catch {
                throw .hello(error)
            }
        }
        return record
    }
}

/// A session before the first record of the peer. The peer may be an attacker that replays messages or has stolen a
/// key, so nothing about it is shown or stored before its first record opens (`Specs/handshake.md`).
public struct UnauthenticatedSession: ~Copyable, Sendable {
    /// The last handshake message, to send.
    public let packet: Packet
    private var session: EstablishedSession

    init(packet: Packet, session: consuming EstablishedSession) {
        self.packet = packet
        self.session = session
    }

    /// The static key that the peer used in the handshake.
    public var peerKey: Octets32 { session.peerKey }

    /// The payload with which the peer introduced itself. In a first contact, the app shows it to the user, who accepts
    /// the contact or not.
    public var introduction: PeerIntroduction { session.introduction }

    /// Returns the fingerprint that two people compare after a first contact.
    public borrowing func fingerprint() -> String { session.exporter.fingerprint() }

    /// Returns the session of a first contact, in which each side says whether its user accepts. The inviter has proven
    /// by message 2 that it holds its keys.
    ///
    /// - Throws: `SessionError.helloExpected` after another handshake; the session has then ended.
    public consuming func awaitingAcceptance() throws(SessionError) -> EstablishedSession {
        guard session.awaitsAcceptance else { throw .helloExpected }
        return session
    }

    /// Returns the session of a device link, in which the primary device says HELLO when its user has agreed.
    ///
    /// - Throws: `SessionError.acceptExpected` after a first contact; the session has then ended.
    public consuming func awaitingState() throws(SessionError) -> EstablishedSession {
        guard !session.awaitsAcceptance else { throw .acceptExpected }
        return session
    }

    /// Opens the first record of the peer, a HELLO, which proves that the peer holds its keys now.
    ///
    /// - Throws: `SessionError`. The session has then ended.
    public consuming func receive(_ packet: Packet) throws(SessionError) -> EstablishedSession {
        _ = try session.open(packet)
        return session
    }
}

/// The reason a session has ended, or a record is not sealed or opened (`Specs/records.md`).
public enum SessionError: Refusal, Hashable {
    /// The session has already ended.
    case ended
    /// The packet is not a record.
    case unexpectedPacket
    /// The record is not the one that the peer sealed next.
    case notAuthentic
    /// The first record is not a HELLO.
    case helloExpected
    /// Not both users have accepted the first contact, and the record is neither ACCEPT nor DECLINE nor CLOSE.
    case acceptExpected
    /// DECLINE cannot follow this side's ACCEPT.
    case accepted
    /// The plaintext of a record is malformed.
    case record(RecordError)
    /// The first record is malformed.
    case hello(HelloError)
    /// All nonces of a direction have been used.
    case nonceExhausted

    public var stage: String {
        switch self {
        case .ended, .helloExpected, .acceptExpected, .accepted, .nonceExhausted: "session"
        case .unexpectedPacket: "packet"
        case .notAuthentic: "open"
        case .record(let error): error.stage
        case .hello(let error): error.stage
        }
    }

    public var reason: String {
        switch self {
        case .ended: "ended"
        case .unexpectedPacket: "unexpected-type"
        case .notAuthentic: "decryption-failed"
        case .helloExpected: "hello-expected"
        case .acceptExpected: "accept-expected"
        case .accepted: "accepted"
        case .record(let error): error.reason
        case .hello(let error): error.reason
        case .nonceExhausted: "nonce-exhausted"
        }
    }
}

extension RecordType {
    /// Whether it can precede HELLO on a link of first contact.
    fileprivate var decides: Bool { self == .accept || self == .decline || self == .close }
}

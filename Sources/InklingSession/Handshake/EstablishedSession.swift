public import InklingKeys

/// What a peer said of itself in the handshake.
public enum PeerIntroduction: Hashable, Sendable {
    /// A contact, in a confirm handshake.
    case contact(ConfirmPayload)
    /// Somebody new, in a first contact, or the primary device in a device link; `unixMilliseconds` is a hint.
    case card(ContactCard, unixMilliseconds: UInt64)
    /// The new device of a device link, which has nothing to say yet.
    case newDevice
}

/// A session whose peer has proven that it holds its keys now (`Specs/records.md`).
///
/// Records are numbered by counting, so they must arrive whole and in order. The first that does not open ends the
/// session and wipes its keys.
public struct EstablishedSession: ~Copyable, Sendable {
    /// How long a session lasts at most; the caller counts.
    public static let lifetime: Duration = .seconds(24 * 3600)

    /// Which side began.
    public let role: Role
    /// The static key of the peer's device.
    public let peerKey: Octets32
    /// What the peer said in the handshake.
    public let introduction: PeerIntroduction
    /// The secret for everything outside the records.
    public let exporter: Exporter
    /// The peer's first record, once it has arrived.
    public private(set) var peerHello: Hello?
    /// The transports whose TLS key was given away.
    package var takenTLSKeys: Set<Transport> = []

    private var sending: CipherState?
    private var receiving: CipherState?
    private var hasSentHello = false

    init(
        role: Role, peerKey: Octets32, introduction: PeerIntroduction, keys: consuming TransportKeys
    ) {
        self.role = role
        self.peerKey = peerKey
        self.introduction = introduction
        exporter = keys.exporter()
        sending = keys.sending(as: role)
        receiving = keys.receiving(as: role)
    }

    /// Whether the session has ended; then nothing can be sealed or opened.
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

    /// Encrypts a record as the packet to send next. The first record is HELLO.
    ///
    /// - Throws: `SessionError.ended`, `.helloExpected` for the caller's own fault, which does not end the session, and
    ///   `.nonceExhausted`, which does.
    public mutating func seal(_ record: borrowing Record) throws(SessionError) -> Packet {
        guard !isEnded else { throw .ended }
        guard hasSentHello || record.type == .hello else { throw .helloExpected }
        let plaintext = record.encoded()
        var body: [UInt8] = []
        do {
            try plaintext.withBytes { plaintext throws(NoiseError) in
                try sending?.encrypt(plaintext, associatedData: Span(), appendingTo: &body)
            }
        } catch {
            end()
            throw .nonceExhausted
        }
        hasSentHello = true
        do { return try Packet(.record, body: body) } catch { throw .ended }
    }

    /// Decrypts the packet that came next.
    ///
    /// - Throws: `SessionError`; the session has ended then, and the peer is told nothing.
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
            record = try plaintext.withBytes { bytes throws(RecordError) in try Record(parsing: bytes) }
        } catch {
            throw .record(error)
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

/// A session whose peer may still be somebody who replays or has stolen a key: nothing about it is shown or stored
/// before its first record opens (`Specs/handshake.md`).
public struct UnauthenticatedSession: ~Copyable, Sendable {
    /// The last handshake message, to send.
    public let packet: Packet
    private var session: EstablishedSession

    init(packet: Packet, session: consuming EstablishedSession) {
        self.packet = packet
        self.session = session
    }

    /// The static key with which the peer speaks.
    public var peerKey: Octets32 { session.peerKey }

    /// What the peer said in the handshake, to be shown to the user who decides about a first contact.
    public var introduction: PeerIntroduction { session.introduction }

    /// What two people compare after a first contact.
    public borrowing func fingerprint() -> String { session.exporter.fingerprint() }

    /// Opens the peer's first record, which is HELLO and proves that the peer is there.
    ///
    /// - Throws: `SessionError`; the session has ended then.
    public consuming func receive(_ packet: Packet) throws(SessionError) -> EstablishedSession {
        _ = try session.open(packet)
        return session
    }
}

/// Why a session ended.
public enum SessionError: Refusal, Hashable {
    /// The session had ended before.
    case ended
    /// The packet is not a record.
    case unexpectedPacket
    /// The record was not sealed by the peer as the next one.
    case notAuthentic
    /// The first record is not HELLO.
    case helloExpected
    /// The plaintext is malformed.
    case record(RecordError)
    /// The first record is malformed.
    case hello(HelloError)
    /// A direction has used all its nonces.
    case nonceExhausted

    public var stage: String {
        switch self {
        case .ended, .helloExpected, .nonceExhausted: "session"
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
        case .record(let error): error.reason
        case .hello(let error): error.reason
        case .nonceExhausted: "nonce-exhausted"
        }
    }
}

public import InklingKeys

/// What is known about the presence of one contact, over all its devices (`Specs/recognition.md`).
public enum PresenceState: Hashable, Sendable, CustomStringConvertible {
    /// Nothing was seen since the contact was added.
    case unseen
    /// Something is seen that this contact, or another one, might show.
    case candidate
    /// Something is seen that only this contact is expected to show; anybody can have copied it.
    case probable
    /// A handshake proved the contact alive and reachable, at this moment last.
    case confirmed(at: Tick)
    /// Nothing was seen for a while; the moment is that of the last handshake when there was one.
    case stale(confirmedAt: Tick?)
    /// Nothing was seen for longer than the departure timer.
    case gone

    /// Whether the contact counts as present: a handshake proved it, and its departure timer has not run out.
    ///
    /// A contact arrives when this becomes true, and has left when it becomes false.
    public var isPresent: Bool {
        switch self {
        case .confirmed, .stale(.some): true
        case .unseen, .candidate, .probable, .stale(nil), .gone: false
        }
    }

    /// The state in one word, as `Specs/recognition.md` writes it: `unseen`, `candidate`, `probable`, `confirmed`, `stale` or
    /// `gone`.
    public var word: String {
        switch self {
        case .unseen: "unseen"
        case .candidate: "candidate"
        case .probable: "probable"
        case .confirmed: "confirmed"
        case .stale: "stale"
        case .gone: "gone"
        }
    }

    /// The word, and for a confirmed contact when that was.
    public var description: String {
        switch self {
        case .confirmed(let tick), .stale(let tick?): "\(word), confirmed at \(tick)"
        case .unseen, .candidate, .probable, .stale(nil), .gone: word
        }
    }
}

/// A state is coded as its word, `presence`, and the tick of the last handshake, `confirmedAt`, where there was one.
extension PresenceState: Codable {
    private enum CodingKeys: String, CodingKey {
        case presence, confirmedAt
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let word = try members.decode(String.self, forKey: .presence)
        switch (word, try members.decodeIfPresent(Tick.self, forKey: .confirmedAt)) {
        case ("unseen", nil): self = .unseen
        case ("candidate", nil): self = .candidate
        case ("probable", nil): self = .probable
        case ("confirmed", let moment?): self = .confirmed(at: moment)
        case ("stale", let moment): self = .stale(confirmedAt: moment)
        case ("gone", nil): self = .gone
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .presence, in: members, debugDescription: "not a valid presence state")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(word, forKey: .presence)
        switch self {
        case .confirmed(let tick), .stale(let tick?): try members.encode(tick, forKey: .confirmedAt)
        case .unseen, .candidate, .probable, .stale(nil), .gone: break
        }
    }
}

public import InklingKeys

/// The presence of one contact, with all its devices taken together (`Specs/recognition.md`).
public enum PresenceState: Hashable, Sendable, CustomStringConvertible {
    /// No value of the contact has been seen since it was added.
    case unseen
    /// A value is seen that this contact is expected to show, and that may as well belong to another device.
    case candidate
    /// A value is seen that probably only this contact shows; it can still be a copy.
    case probable
    /// A handshake proved that the contact is alive and reachable; `at` is the time of the last one.
    case confirmed(at: Tick)
    /// The latest evidence is older than the stale timer; `confirmedAt` is the time of the last handshake, if any.
    case stale(confirmedAt: Tick?)
    /// The latest evidence is older than the departure timer.
    case gone

    /// Whether the contact counts as present: a handshake succeeded, and the departure timer has not run out since.
    ///
    /// A contact arrives once this has been true for its arrival timer, and leaves when it becomes false.
    public var isPresent: Bool {
        switch self {
        case .confirmed, .stale(.some): true
        case .unseen, .candidate, .probable, .stale(nil), .gone: false
        }
    }

    /// The name of the state in `Specs/recognition.md`: `unseen`, `candidate`, `probable`, `confirmed`, `stale` or
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

    /// The word, followed by the time of the last handshake if there is one.
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

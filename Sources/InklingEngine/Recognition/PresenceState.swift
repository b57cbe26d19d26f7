public import InklingKeys

/// The presence of one contact, with all its devices taken together (`Specs/recognition.md`).
public enum PresenceState: Hashable, Sendable, Codable, CustomStringConvertible {
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

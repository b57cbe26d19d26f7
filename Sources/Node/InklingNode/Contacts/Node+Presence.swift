public import InklingEngine
public import InklingKeys
internal import InklingVault

/// A contact's presence now, for home automation and other programs.
public struct ContactPresence: Hashable, Sendable {
    /// The contact's user id.
    public let user: UserID
    /// The user's own name for the contact, or else the name on the card.
    public let name: String
    /// The contact's presence state.
    public let state: PresenceState
    /// Whether the contact has arrived and not left: it has been present for the arrival delay.
    public let hasArrived: Bool
    /// The certainty that the contact is near, in percent, 0 to 100: 100 while a handshake counts as evidence, 0 if
    /// nothing of the contact is seen, otherwise the probability from what the radio has heard.
    public let confidence: Int
    /// The time at which the contact was last seen or heard, in Unix seconds; nil while nothing of it is seen.
    public let lastSeen: UInt64?
    /// The room in which antennas hear the contact best; nil if none has heard it recently (`Specs/antennas.md`).
    public let room: String?
    /// Whether the node would notice the contact: it is neither blocked nor excluded by the visibility, and the node
    /// runs and is not silent for a lasting reason.
    public let isWatched: Bool
}

extension Node {
    /// Returns the presence of each contact, ordered by user id.
    public func presences() -> [ContactPresence] {
        takeWaitingInputs()
        let now = ports.clock.read()
        let isListening =
            life == .running && technologies.contains { $0.shown != nil || silence(of: $0)?.isBrief == true }
        return contents.contacts.map { presence(of: $0, isListening: isListening, at: now) }.sorted {
            $0.user < $1.user
        }
    }

    private func presence(of contact: StoredContact, isListening: Bool, at now: ClockReading) -> ContactPresence {
        let summary = summary(contact)
        let id = book.roster[contact.user]
        let isSeen = summary.presence != .unseen && summary.presence != .gone
        let explanation = isSeen ? id.flatMap { recognition.explanation(of: $0, at: now) } : nil
        let confidence =
            switch summary.presence {
            case .confirmed: 100
            case .unseen, .gone: 0
            case .candidate, .probable, .stale: Int(min((explanation?.posterior ?? 0) * 100 / 65_536, 99))
            }
        return ContactPresence(
            user: contact.user, name: summary.name, state: summary.presence,
            hasArrived: id.map { recognition.hasArrived($0) } ?? false, confidence: confidence,
            lastSeen: explanation.flatMap { lastSeen($0, at: now) }, room: room(of: contact.user, at: now.tick),
            isWatched: isListening && looksForContacts && meets(contact))
    }

    private func lastSeen(_ explanation: Explanation, at now: ClockReading) -> UInt64? {
        // A name counts as seen until it vanishes.
        let seen = explanation.sights.filter(\.isCounting).map { $0.last ?? now.tick }
        guard let last = (seen + [explanation.lastHeard].compactMap(\.self)).max() else { return nil }
        let ago = now.tick.milliseconds(since: last) * UInt64(now.rate)
        return (now.unixMilliseconds - min(now.unixMilliseconds, ago)) / 1000
    }
}

extension NodeEvent.SilenceReason {
    /// Whether the silence ends by itself within minutes, while the node listens or has only just stopped.
    fileprivate var isBrief: Bool {
        switch self {
        case .gap, .networkChanged, .inviting: true
        default: false
        }
    }
}

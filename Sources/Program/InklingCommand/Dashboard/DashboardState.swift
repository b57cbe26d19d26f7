import InklingLinux
import InklingNode

/// What the dashboard shows, as one object. It has no value that rotates and no text of a message, so that a screenshot of
/// the page gives nothing of that away.
struct DashboardState: Encodable, Sendable {
    /// A contact, and why it counts as near or not.
    struct Contact: Encodable, Sendable {
        let contact, id, presence, why: String
        /// The room in which antennas hear it best.
        let room: String?
        /// `session`, `name`, `tag` or `minor`.
        let by: [String]
        let reachableOver: [LinkTechnologyID]
        let since, lastHeard, leaves: String?
        /// Probabilities, 0 to 1: that it is near, and before anything was heard.
        let posterior, prior: Double?
        let clock, attempts, missed: String?
        let recognisedUntil: String?
        let blocked: Bool

        init(_ contact: ContactFact, _ explanation: ExplanationFact?) {
            self.contact = contact.contact
            id = contact.id
            presence = contact.presence
            why = explanation?.why ?? ""
            room = contact.room
            by = contact.by
            reachableOver = contact.reachableOver
            since = contact.since
            lastHeard = contact.lastHeard
            leaves = contact.leaves
            posterior = explanation?.posterior
            prior = explanation?.prior
            clock = explanation?.clock
            attempts = explanation?.attempts
            missed = explanation?.missed
            recognisedUntil = contact.recognisedUntil
            blocked = contact.blocked
        }
    }

    let version: String
    let unixMilliseconds: UInt64
    /// When the node started.
    let started: UInt64
    let status: StatusFact
    let contacts: [Contact]
    /// The strangers that were heard by radio in this epoch or the previous one.
    let strangers: UInt64
    let timeline: [DashboardHistory.Moment]
}

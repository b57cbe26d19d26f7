import InklingLinux
import InklingNode
import InklingTerminal

/// The state that the dashboard shows. It contains no rotating values and no message texts, so that a screenshot of the
/// page reveals neither.
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
        /// The probabilities, 0 to 1, that it is near: now, and before anything was heard.
        let posterior, prior: Double?
        let clock, attempts, missed: String?
        let recognisedUntil: String?
        let blocked: Bool
        /// The number of messages from it that nobody has read.
        let unread: Int

        init(_ contact: ContactFact, _ explanation: ExplanationFact?, unread: Int) {
            self.unread = unread
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
    /// The node's start in Unix milliseconds.
    let started: UInt64
    let status: StatusFact
    let contacts: [Contact]
    /// The number of strangers heard by radio in this epoch or the previous one.
    let strangers: UInt64
    let timeline: [DashboardHistory.Moment]
    /// The last events, newest first.
    let log: [DashboardHistory.Entry]
}

import Synchronization

/// The timeline of the dashboard: when the node was visible and contacts were present since it started.
final class DashboardHistory: Sendable {
    /// The maximum number of moments; further ones replace the oldest.
    private static let limit = 1000

    /// A moment at which a row of the timeline changes.
    struct Moment: Encodable, Hashable, Sendable {
        let unixMilliseconds: UInt64
        /// `lan`, `bluetooth`, or the id of a contact.
        let row: String
        /// `visible` or `silent` for a technology; the presence for a contact.
        let state: String
    }

    private let moments = Mutex<[Moment]>([])

    /// The moments, oldest first.
    var all: [Moment] { moments.withLock { $0 } }

    /// Records an event if it changes a row.
    func note(_ event: EventFact) {
        let change: (row: String, state: String)? =
            switch event.kind {
            case .visible, .silent: (event.text("technology") ?? "", event.kind.rawValue)
            case .presence: (event.text("id") ?? "", event.text("presence") ?? "")
            default: nil
            }
        guard let change else { return }
        moments.withLock { moments in
            if moments.count == Self.limit { moments.removeFirst(Self.limit / 4) }
            moments.append(
                Moment(unixMilliseconds: event.unixMilliseconds, row: change.row, state: change.state))
        }
    }
}

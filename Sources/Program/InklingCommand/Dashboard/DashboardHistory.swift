import InklingNode
import InklingTerminal
import Synchronization

/// The memory of the dashboard since the node started: the times at which the node was visible and contacts were present,
/// and the last events in words. Both are bounded.
final class DashboardHistory: Sendable {
    /// The maximum number of moments; further ones replace the oldest.
    private static let limit = 1000
    /// The maximum number of entries of the log; a further one replaces the oldest.
    static let logLimit = 100

    /// A moment at which a row of the timeline changes.
    struct Moment: Encodable, Hashable, Sendable {
        let unixMilliseconds: UInt64
        /// `lan`, `bluetooth`, or the id of a contact.
        let row: String
        /// `visible` or `silent` for a technology; the presence for a contact.
        let state: String
    }

    /// An event in words, which contain no text of a message.
    struct Entry: Encodable, Hashable, Sendable {
        /// Counts up, so that a page can tell entries apart.
        let number: UInt64
        let unixMilliseconds: UInt64
        let what: String
    }

    private struct State {
        var moments: [Moment] = []
        var log: [Entry] = []
        var count: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The moments, oldest first.
    var all: [Moment] { state.withLock { $0.moments } }
    /// The last events, newest first.
    var log: [Entry] { state.withLock { $0.log.reversed() } }

    /// Records an event at this time of the node's clock, as far as a row or the log shows it.
    func note(_ event: EventFact, at unixMilliseconds: UInt64) {
        let change: (row: String, state: String)? =
            switch event.kind {
            case .visible, .silent: (event.text("technology") ?? "", event.kind.rawValue)
            case .presence: (event.text("id") ?? "", event.text("presence") ?? "")
            default: nil
            }
        state.withLock { state in
            if let change {
                if state.moments.count == Self.limit { state.moments.removeFirst(Self.limit / 4) }
                state.moments.append(
                    Moment(unixMilliseconds: unixMilliseconds, row: change.row, state: change.state))
            }
            guard let what = Self.words(for: event) else { return }
            state.count += 1
            if state.log.count == Self.logLimit { state.log.removeFirst() }
            state.log.append(Entry(number: state.count, unixMilliseconds: unixMilliseconds, what: what))
        }
    }

    /// Returns the words for an event; nil for those that come with every epoch or stand in the timeline, and for
    /// texts.
    private static func words(for event: EventFact) -> String? {
        switch event.kind {
        case .visible, .presence, .plan, .message: nil
        case .silent where event.text("reason") == NodeEvent.SilenceReason.gap.sentence: nil
        default: event.sentence
        }
    }
}

import InklingNode
import Synchronization

/// The counters of a node's events since the process started.
final class EventCounts: Sendable {
    /// The values of the counters.
    struct Counts: Sendable {
        /// All events, by the name that `inkling run --json` gives them.
        var events: [String: Double] = [:]
        /// Handshakes that succeeded, by technology.
        var confirmed: [String: Double] = [:]
        /// Steps taken because the radio heard nothing.
        var deaf = 0.0
    }

    private let counts = Mutex(Counts())

    /// A snapshot of the counters.
    var current: Counts { counts.withLock { $0 } }

    /// Counts an event, which has this name in facts.
    func note(_ event: NodeEvent, named name: String) {
        counts.withLock { counts in
            counts.events[name, default: 0] += 1
            switch event {
            case .confirmed(_, let technology, _): counts.confirmed[technology.rawValue, default: 0] += 1
            case .trouble(.radioDeaf): counts.deaf += 1
            default: break
            }
        }
    }
}

internal import Synchronization

/// The time of a simulation, and its planned actions. Time passes only when `advance` is called.
final class Timeline: Sendable {
    struct Entry {
        let due: UInt64
        let number: UInt64
        let action: @Sendable () -> Void
    }

    private struct State {
        var now: UInt64 = 0
        var count: UInt64 = 0
        /// The entries, sorted with the earliest last, so that removing it is cheap. Of two with the same time, the one
        /// scheduled first is nearer to the end.
        var entries: [Entry] = []
    }

    private let state = Mutex(State())

    /// Milliseconds since the simulation began.
    var now: UInt64 { state.withLock { $0.now } }

    /// Schedules an action for a time in milliseconds, or for now if that time has passed.
    ///
    /// - Returns: a number for `cancel`.
    @discardableResult
    func schedule(at due: UInt64, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.count += 1
            let entry = Entry(due: max(due, state.now), number: state.count, action: action)
            var low = 0
            var high = state.entries.count
            while low < high {
                let middle = (low + high) / 2
                if state.entries[middle].due > entry.due { low = middle + 1 } else { high = middle }
            }
            state.entries.insert(entry, at: low)
            return entry.number
        }
    }

    /// Schedules an action after this many milliseconds.
    @discardableResult
    func schedule(after delay: UInt64, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        let (due, overflow) = now.addingReportingOverflow(delay)
        return schedule(at: overflow ? .max : due, action)
    }

    func cancel(_ number: UInt64) {
        state.withLock { state in state.entries.removeAll { $0.number == number } }
    }

    /// Advances time to the next action and runs it; returns false if none is scheduled up to `limit`.
    func advance(limit: UInt64) -> Bool {
        let entry: Entry? = state.withLock { state in
            guard let entry = state.entries.last, entry.due <= limit else { return nil }
            state.entries.removeLast()
            state.now = entry.due
            return entry
        }
        guard let entry else { return false }
        entry.action()
        return true
    }
}

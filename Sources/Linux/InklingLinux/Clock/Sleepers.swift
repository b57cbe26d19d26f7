internal import InklingKeys

/// The waiting continuations and their moments.
struct Sleepers<Continuation> {
    private var waiting: [UInt64: (due: Tick, continuation: Continuation)] = [:]

    /// The earliest awaited moment.
    var next: Tick? { waiting.values.map(\.due).min() }

    mutating func add(_ number: UInt64, until due: Tick, _ continuation: Continuation) {
        waiting[number] = (due, continuation)
    }

    mutating func remove(_ number: UInt64) -> Continuation? { waiting.removeValue(forKey: number)?.continuation }

    /// Removes and returns the continuations that are due, earliest first.
    mutating func removeDue(at now: Tick) -> [Continuation] {
        let due = waiting.filter { $0.value.due <= now }
        for number in due.keys { waiting[number] = nil }
        return due.values.sorted { $0.due < $1.due }.map(\.continuation)
    }
}

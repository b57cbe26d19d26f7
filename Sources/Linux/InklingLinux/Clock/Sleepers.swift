internal import InklingKeys

/// Who waits for which moment.
struct Sleepers<Continuation> {
    private var waiting: [UInt64: (due: Tick, continuation: Continuation)] = [:]

    /// The first moment for which somebody waits.
    var next: Tick? { waiting.values.map(\.due).min() }

    mutating func add(_ number: UInt64, until due: Tick, _ continuation: Continuation) {
        waiting[number] = (due, continuation)
    }

    mutating func remove(_ number: UInt64) -> Continuation? { waiting.removeValue(forKey: number)?.continuation }

    /// Removes those whose moment has come, and returns them in the order of their moments.
    mutating func removeDue(at now: Tick) -> [Continuation] {
        let due = waiting.filter { $0.value.due <= now }
        for number in due.keys { waiting[number] = nil }
        return due.values.sorted { $0.due < $1.due }.map(\.continuation)
    }
}

/// The peripheral of a simulated phone: it makes records, keeps the latest, and repeats what it is asked for.
struct PhonePeripheral {
    let limit: Int
    /// The route to it; a change of its identity changes it.
    private(set) var route: UInt32 = 1
    var isNear = false
    /// Whether it lost its state since it was set up.
    var needsInitialisation = false
    private(set) var produced: UInt64 = 0
    private var kept: ArraySlice<UInt64> = []
    /// The records to send on the link; nil until records are asked for on it.
    private var queue: [UInt64]?

    init(limit: Int) { self.limit = limit }

    mutating func makeRecord() {
        produced += 1
        kept.append(produced)
        if kept.count > limit { kept.removeFirst() }
        queue?.append(produced)
    }

    /// Starts to send, first everything that it still has after a number.
    mutating func stream(after last: UInt64?) { queue = last.map { last in kept.filter { $0 > last } } ?? [] }

    /// Handles the loss of the link.
    mutating func unlink() { queue = nil }

    mutating func reset() {
        needsInitialisation = true
        queue = nil
    }

    mutating func changeIdentity() {
        route += 1
        queue = nil
    }

    var hasRecords: Bool { queue?.isEmpty == false }

    /// Removes and returns the records to send.
    mutating func send() -> [UInt64] {
        guard let records = queue else { return [] }
        queue = []
        return records
    }
}

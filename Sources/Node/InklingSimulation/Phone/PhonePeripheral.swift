/// The peripheral of a simulated phone. It produces records, keeps the latest ones, and sends them again on request.
struct PhonePeripheral {
    let limit: Int
    /// The route to the peripheral, which changes with its identity.
    private(set) var route: UInt32 = 1
    var isNear = false
    /// Whether it has lost its state since it was set up.
    var needsInitialisation = false
    private(set) var produced: UInt64 = 0
    private var kept: ArraySlice<UInt64> = []
    /// The records to send on the link; nil until records are requested on it.
    private var queue: [UInt64]?

    init(limit: Int) { self.limit = limit }

    mutating func makeRecord() {
        produced += 1
        kept.append(produced)
        if kept.count > limit { kept.removeFirst() }
        queue?.append(produced)
    }

    /// Starts sending, beginning with the kept records after `last`, or with new ones if it is nil.
    mutating func stream(after last: UInt64?) { queue = last.map { last in kept.filter { $0 > last } } ?? [] }

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

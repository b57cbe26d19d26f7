/// What a simulated phone wants a link to: it makes records, keeps the latest, and repeats what it is asked for.
struct PhonePeripheral {
    let limit: Int
    /// How others reach it; another one after its identity changed.
    private(set) var route: UInt32 = 1
    var isNear = false
    /// It lost its state since somebody set it up.
    var needsInitialisation = false
    private(set) var produced: UInt64 = 0
    private var kept: ArraySlice<UInt64> = []
    /// What is still to be sent on the link; nil while nobody asked for records on it.
    private var queue: [UInt64]?

    init(limit: Int) { self.limit = limit }

    mutating func makeRecord() {
        produced += 1
        kept.append(produced)
        if kept.count > limit { kept.removeFirst() }
        queue?.append(produced)
    }

    /// Sends from now on, and first everything that it still has after a number.
    mutating func stream(after last: UInt64?) { queue = last.map { last in kept.filter { $0 > last } } ?? [] }

    /// The link is gone.
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

    /// Takes what is to be sent.
    mutating func send() -> [UInt64] {
        guard let records = queue else { return [] }
        queue = []
        return records
    }
}

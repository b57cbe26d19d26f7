internal import InklingKeys
internal import InklingWire

/// The budget of a contact's cards and grants that are verified, stored and followed by new tables, over all its
/// sessions (`Specs/records.md`).
///
/// A contact sends one when it is missing. A program that floods the link with them gets no further than this. The cost
/// of texts is limited by receipts (`Specs/sync.md`).
struct RecordBudget: Sendable {
    // The same kind of limit as for first messages.
    private var objects = FirstMessageBudget(burst: 16, interval: .seconds(60))

    /// Spends one card or grant and returns true; returns false if none is left.
    mutating func spend(at now: Tick) -> Bool { objects.spend(at: now.milliseconds) }
}

internal import InklingKeys
internal import InklingWire

/// How many cards and grants of one contact are verified, stored and followed by new tables, over all its sessions
/// (`Specs/records.md`).
///
/// A contact sends one when it is missing. A program that sends them as fast as the link allows gets no further than this.
/// What its texts may cost, receipts limit (`Specs/sync.md`).
struct RecordBudget: Sendable {
    // The same kind of limit as for first messages.
    private var objects = FirstMessageBudget(burst: 16, interval: .seconds(60))

    /// Uses one attempt for a card or a grant and returns true; returns false if there is none.
    mutating func spend(at now: Tick) -> Bool { objects.spend(at: now.milliseconds) }
}

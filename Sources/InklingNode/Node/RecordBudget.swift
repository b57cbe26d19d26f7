internal import InklingKeys
internal import InklingSession

/// How much work and how many writes the records of one contact may cause, over all its sessions (`Specs/records.md`).
///
/// A contact sends a card or a grant when one is missing, and texts as fast as a person writes. A program that sends them
/// as fast as the link allows gets no further than this.
struct RecordBudget: Sendable {
    /// What is limited.
    enum Kind: Hashable, Sendable {
        /// A card or a grant: it is verified, stored, and followed by new tables.
        case object
    }

    // The same kind of limit as for first messages.
    private var objects = FirstMessageBudget(burst: 16, interval: .seconds(60))

    /// Uses one attempt and returns true; returns false if there is none.
    mutating func spend(_ kind: Kind, at now: Tick) -> Bool {
        switch kind {
        case .object: objects.spend(at: now.milliseconds)
        }
    }
}

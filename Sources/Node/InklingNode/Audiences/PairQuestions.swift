internal import InklingEngine
package import InklingKeys

/// When the local network is asked for contacts whose announced name nobody here can recognise, or who cannot recognise
/// ours (`Specs/pair-audiences.md`).
///
/// A question shows that somebody expects the name, so there are few, each at a moment of its own.
package struct PairQuestions: Sendable {
    /// The most questions in an epoch.
    package static let limit = 4
    /// The delay from the start, in milliseconds: the other's silent gap is over then.
    static let delay: ClosedRange<UInt64> = 10_000...40_000

    /// The epoch that is shown; nil while nothing is shown to all contacts.
    private(set) var epoch: Epoch?
    private var planned: [(user: UserID, due: Tick)] = []
    /// The epoch of the latest question, how many were asked in it, and the order in which contacts were asked last.
    private var latest: Epoch?
    private var count = 0
    private var order: [UserID: UInt64] = [:]
    private var total: UInt64 = 0

    /// Creates a plan without questions.
    package init() {}

    /// When the next question is due.
    var due: Tick? { planned.map(\.due).min() }

    /// Plans the questions of an epoch that is shown from now on: about those contacts that were asked about least
    /// recently.
    package mutating func begin(
        _ epoch: Epoch, about contacts: [UserID], at now: Tick, using generator: inout some RandomNumberGenerator
    ) {
        self.epoch = epoch
        if latest != epoch { (latest, count) = (epoch, 0) }
        planned = []
        order = order.filter { contacts.contains($0.key) }
        // Those that were never asked about come in a drawn order: a node that is often started again would otherwise ask
        // about the same ones each time.
        let places = contacts.shuffled(using: &generator).enumerated().sorted { one, other in
            (order[one.element] ?? 0, one.offset) < (order[other.element] ?? 0, other.offset)
        }
        for place in places { plan(place.element, at: now, using: &generator) }
    }

    /// Plans a question about one more contact, if there is room in this epoch.
    mutating func plan(_ user: UserID, at now: Tick, using generator: inout some RandomNumberGenerator) {
        guard epoch != nil, count + planned.count < Self.limit, !planned.contains(where: { $0.user == user }) else {
            return
        }
        let delay = UInt64.random(in: Self.delay, using: &generator)
        planned.append((user, now.advanced(byMilliseconds: delay)))
    }

    /// Returns the contacts whose questions are due, for which `isWanted` is true; the others have no question any more.
    package mutating func takeDue(at now: Tick, where isWanted: (UserID) -> Bool) -> [UserID] {
        let due = planned.filter { $0.due <= now }.map(\.user)
        planned.removeAll { $0.due <= now }
        let asked = due.filter(isWanted)
        for user in asked {
            count += 1
            total += 1
            order[user] = total
        }
        return asked
    }

    /// Drops what is planned, because nothing is shown any more.
    package mutating func end() {
        epoch = nil
        planned = []
    }
}

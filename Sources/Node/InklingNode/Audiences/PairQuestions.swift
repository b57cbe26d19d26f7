internal import InklingEngine
package import InklingKeys

/// The schedule of questions on the local network, about contacts whose announced name we cannot recognise or who
/// cannot recognise ours (`Specs/pair-audiences.md`).
///
/// A question reveals that somebody expects the name, so there are few, each at its own moment.
package struct PairQuestions: Sendable {
    /// The maximum number of questions in an epoch.
    package static let limit = 4
    /// The delay from the start, in milliseconds; the other side's quiet period is over by then.
    static let delay: ClosedRange<UInt64> = 10_000...40_000

    /// The epoch that is shown; nil while nothing is shown to all contacts.
    private(set) var epoch: Epoch?
    private var planned: [(user: UserID, due: Tick)] = []
    /// The epoch of the latest question, the number asked in it, and the order in which contacts were last asked about.
    private var latest: Epoch?
    private var count = 0
    private var order: [UserID: UInt64] = [:]
    private var total: UInt64 = 0

    /// Creates a plan without questions.
    package init() {}

    /// The time of the next question; nil if none is planned.
    var due: Tick? { planned.map(\.due).min() }

    /// Plans the questions of an epoch that is shown from now on, about the contacts asked about least recently.
    package mutating func begin(
        _ epoch: Epoch, about contacts: [UserID], at now: Tick, using generator: inout some RandomNumberGenerator
    ) {
        self.epoch = epoch
        if latest != epoch { (latest, count) = (epoch, 0) }
        planned = []
        order = order.filter { contacts.contains($0.key) }
        // Shuffle the contacts never asked about: a node that restarts often would otherwise ask about the same ones
        // each time.
        let places = contacts.shuffled(using: &generator).enumerated().sorted { one, other in
            (order[one.element] ?? 0, one.offset) < (order[other.element] ?? 0, other.offset)
        }
        for place in places { plan(place.element, at: now, using: &generator) }
    }

    /// Plans a question about one more contact, if this epoch has room for it.
    mutating func plan(_ user: UserID, at now: Tick, using generator: inout some RandomNumberGenerator) {
        guard epoch != nil, count + planned.count < Self.limit, !planned.contains(where: { $0.user == user }) else {
            return
        }
        let delay = UInt64.random(in: Self.delay, using: &generator)
        planned.append((user, now.advanced(byMilliseconds: delay)))
    }

    /// Returns the contacts whose questions are due and for which `isWanted` is true; other due questions are dropped.
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

    /// Drops the planned questions, because nothing is shown any more.
    package mutating func end() {
        epoch = nil
        planned = []
    }
}

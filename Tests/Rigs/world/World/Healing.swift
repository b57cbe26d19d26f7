internal import InklingEngine
internal import InklingKeys
internal import InklingNode
internal import InklingSimulation

/// How many epochs a user on one network needs to find contacts again with whom no valid grant is left in either direction:
/// each epoch, at most four of them are asked for by their pair audiences (`Specs/pair-audiences.md`), so those of k
/// contacts who are there are found within ⌈k/4⌉ epochs. The plan of the questions is the node's.
package enum Healing {
    /// A fault that is planted in the plan.
    package enum Fault: String, CaseIterable, Sendable {
        /// Whom the node asked for least recently is forgotten at each boundary.
        case forgetsOrder = "healing-forgets-order"
        /// Questions that were planned are dropped when the node falls asleep, and count as asked.
        case countsUnasked = "healing-counts-unasked"
    }

    /// The epochs in which everything was found, and the bound.
    package struct Result: Sendable {
        package let epochs: Int
        package let bound: Int
    }

    /// Lets a node look for this many contacts, of whom every second is on the network and answers; the node itself falls
    /// asleep and wakes.
    ///
    /// - Returns: nil when they were not found within three times the bound.
    package static func run(contacts count: Int, seed: UInt64, fault: Fault? = nil) -> Result? {
        var generator = SimulationGenerator(seed: seed ^ 0x6865_616c)
        var questions = PairQuestions()
        var missed = (0..<count).map { UserID(Octets16(high: UInt64($0) << 32 | (generator.next() >> 33), low: 1)) }
        let bound = (count + PairQuestions.limit - 1) / PairQuestions.limit
        var tick: UInt64 = 1_000_000
        var number: UInt32 = 2_000_000
        for epochs in 1...max(3 * bound, 1) {
            guard let epoch = Epoch(number) else { return nil }
            number += 1
            if fault == .forgetsOrder { questions = PairQuestions() }
            questions.begin(epoch, about: missed, at: Tick(milliseconds: tick), using: &generator)
            // The node can fall asleep before it has asked, and goes on in the same epoch.
            if Int.random(in: 0..<3, using: &generator) == 0 {
                let early = tick + UInt64.random(in: 0...40_000, using: &generator)
                missed = found(among: missed, &questions, at: early)
                if fault == .countsUnasked {
                    _ = questions.takeDue(at: Tick(milliseconds: tick + 900_000)) { _ in true }
                }
                questions.end()
                questions.begin(epoch, about: missed, at: Tick(milliseconds: early), using: &generator)
            }
            missed = found(among: missed, &questions, at: tick + 100_000)
            if !missed.contains(where: isThere) { return Result(epochs: epochs, bound: bound) }
            questions.end()
            tick += 900_000
        }
        return nil
    }

    /// Whether a contact is on the network.
    private static func isThere(_ user: UserID) -> Bool { (user.octets.high >> 32) % 2 == 0 }

    /// Asks whom it is time to ask; who is there answers.
    private static func found(
        among missed: [UserID], _ questions: inout PairQuestions, at time: UInt64
    ) -> [UserID] {
        let asked = questions.takeDue(at: Tick(milliseconds: time)) { missed.contains($0) }
        return missed.filter { !asked.contains($0) || !isThere($0) }
    }
}

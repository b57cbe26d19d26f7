/// One way to do the work of a measure.
struct Contestant {
    let name: String
    /// Does the work of one batch and returns a sum of what it computed.
    let run: () -> UInt64
}

/// Work that is done in several ways. Ours comes first; the others are what it is compared with.
///
/// To add a peer, add a contestant: it takes its turn with the others, and the table shows it.
struct Measure {
    let name: String
    /// What one operation is.
    let unit: String
    /// The number of operations in a batch.
    let batch: Int
    /// Whether the contestants compute the same, so that their sums must agree.
    var areEquivalent = true
    let contestants: [Contestant]
}

/// The figures of one contestant.
struct Figure {
    let measure: String
    let unit: String
    let contestant: String
    /// Operations per second on one core, median of the rounds.
    let rate: Double
    /// Our rate divided by this contestant's in the same round: median and quartiles. Nil for ours.
    let ratio: (lower: Double, median: Double, upper: Double)?
}

extension Measure {
    /// Lets the contestants take turns for `rounds` rounds, each time for at least `milliseconds`.
    ///
    /// The order changes from round to round, so that no contestant always runs on a processor that another warmed up.
    func figures(rounds: Int, milliseconds: Int) -> [Figure]? {
        let sums = contestants.map { $0.run() }
        guard !areEquivalent || sums.allSatisfy({ $0 == sums[0] }) else { return nil }
        var rates = contestants.map { _ in [Double]() }
        for round in 0..<rounds {
            for turn in contestants.indices {
                let index = (turn + round) % contestants.count
                rates[index].append(rate(of: contestants[index], for: .milliseconds(milliseconds)))
            }
        }
        return contestants.indices.map { index in
            let ratios = zip(rates[0], rates[index]).map { $0 / $1 }.sorted()
            return Figure(
                measure: name, unit: unit, contestant: contestants[index].name,
                rate: rates[index].sorted()[rounds / 2],
                ratio: index == 0 ? nil : (ratios[rounds / 4], ratios[rounds / 2], ratios[rounds * 3 / 4]))
        }
    }

    private func rate(of contestant: Contestant, for duration: Duration) -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        var batches = 0
        var sum: UInt64 = 0
        var elapsed = Duration.zero
        repeat {
            sum ^= contestant.run()
            batches += 1
            elapsed = clock.now - start
        } while elapsed < duration
        // An even number of equal batches sums to zero; the store keeps the work from being dropped all the same.
        sink = sum
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        return Double(batches * batch) / seconds
    }
}

nonisolated(unsafe) private var sink: UInt64 = 0

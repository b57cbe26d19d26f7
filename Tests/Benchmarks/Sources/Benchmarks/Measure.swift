import Glibc

/// One way to do the work of a measure.
struct Contestant {
    let name: String
    /// The number of operations in a batch, where it is another one than the measure's.
    var batch: Int?
    /// Whether it computes the same as ours, so that the sums must agree.
    var isEquivalent = true
    /// How many times as fast as this one ours was promised to be.
    var promise: Double?
    /// How many times as long as this one ours may take.
    var limit: Double?
    /// Prepares one batch; its time does not count.
    var prepare: (() -> Void)?
    /// Does the work of one batch and returns a sum of what it computed.
    let run: () -> UInt64

    init(
        _ name: String, batch: Int? = nil, isEquivalent: Bool = true, promise: Double? = nil, limit: Double? = nil,
        run: @escaping () -> UInt64
    ) {
        self.name = name
        self.batch = batch
        self.isEquivalent = isEquivalent
        self.promise = promise
        self.limit = limit
        self.run = run
    }
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
    /// What was promised of ours by itself.
    var promise: Promise?
    let contestants: [Contestant]
}

/// A figure that was promised.
enum Promise {
    case nanoseconds(atMost: Double)
    case perSecond(atLeast: Double)
    case value(atMost: Double)
}

/// The figures of one contestant.
struct Figure {
    let measure: String
    let unit: String
    let contestant: String
    /// Operations per second, median of the rounds; or a number of something else, when there is nothing to be repeated.
    let value: Value
    /// Our rate divided by this contestant's in the same round: median and quartiles. Nil for ours.
    var ratio: (lower: Double, median: Double, upper: Double)?
    /// What was promised, in words, and whether it holds.
    var promise: (words: String, holds: Bool)?

    enum Value {
        case perSecond(Double)
        case number(Double)
    }
}

extension Measure {
    /// Lets the contestants take turns for `rounds` rounds, each time for at least `milliseconds` of processor time.
    ///
    /// What counts is the processor time of this thread, so that other programs of the machine count little.
    ///
    /// The order changes from round to round, so that no contestant always runs on a processor that another warmed up.
    func figures(rounds: Int, milliseconds: Int) -> [Figure]? {
        let sums = contestants.map { contestant in
            contestant.prepare?()
            return contestant.run()
        }
        guard zip(contestants, sums).allSatisfy({ !$0.isEquivalent || $1 == sums[0] }) else { return nil }
        var rates = contestants.map { _ in [Double]() }
        for round in 0..<rounds {
            for turn in contestants.indices {
                let index = (turn + round) % contestants.count
                rates[index].append(rate(of: contestants[index], for: .milliseconds(milliseconds)))
            }
        }
        return contestants.indices.map { index in
            let ratios = zip(rates[0], rates[index]).map { $0 / $1 }.sorted()
            let rate = rates[index].sorted()[rounds / 2]
            var figure = Figure(
                measure: name, unit: unit, contestant: contestants[index].name, value: .perSecond(rate))
            if index == 0 {
                figure.promise = promise.map { $0.kept(perSecond: rate) }
            } else {
                figure.ratio = (ratios[rounds / 4], ratios[rounds / 2], ratios[rounds * 3 / 4])
                figure.promise = contestants[index].promise.map {
                    ("at least \(short($0)) ×", ratios[rounds / 2] >= $0)
                }
                if let limit = contestants[index].limit {
                    let times = 1 / ratios[rounds / 2]
                    figure.promise = ("\(hundredths(times)) × its time, at most \(short(limit))", times <= limit)
                }
            }
            return figure
        }
    }

    private func rate(of contestant: Contestant, for duration: Duration) -> Double {
        var batches = 0
        var sum: UInt64 = 0
        var elapsed = Duration.zero
        // Reading this clock is a system call, so several short batches run between two readings.
        var step = 1
        repeat {
            contestant.prepare?()
            let start = processorTime()
            for _ in 0..<step { sum ^= contestant.run() }
            elapsed += processorTime() - start
            batches += step
            if contestant.prepare == nil, elapsed < duration / 8 { step *= 2 }
        } while elapsed < duration
        // An even number of equal batches sums to zero; the store keeps the work from being dropped all the same.
        sink = sum
        return Double(batches * (contestant.batch ?? batch)) / elapsed.inSeconds
    }
}

/// The processor time that this thread has used.
func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

extension Promise {
    /// In words, and whether it holds.
    func kept(perSecond rate: Double) -> (words: String, holds: Bool) {
        switch self {
        case .nanoseconds(let limit): ("at most \(short(limit)) ns", 1e9 / rate <= limit)
        case .perSecond(let limit): ("at least \(short(limit / 1e6)) million", rate >= limit)
        case .value(let limit): ("at most \(short(limit))", rate <= limit)
        }
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// A number without digits behind the point that say nothing.
func short(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : String((value * 10).rounded() / 10)
}

nonisolated(unsafe) private var sink: UInt64 = 0

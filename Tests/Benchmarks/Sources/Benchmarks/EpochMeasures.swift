import InklingEngine
import InklingKeys
import InklingSimulation

/// What the change of an epoch costs: the next table, from keys that are kept, and from the trees when the hour is new.
///
/// On all processors; what is promised is the median of several changes. The fastest one says what it would be on a
/// machine that does nothing else.
func epochFigures(rounds: Int) async -> [Figure] {
    var figures: [Figure] = []
    var all: [[Times]] = []
    let kinds = [("an ordinary change", 120.0), ("the beginning of an hour, \(Crowd.steps) steps down each tree", 500)]
    for count in [1000, 100_000, 1_000_000] {
        let contacts = Crowd.contacts(count)
        let (first, firstKeys) = await TablePreparation(of: contacts, around: Crowd.epoch(1)).carriedOut()
        let (table, keys) = await TablePreparation(
            of: contacts, around: Crowd.epoch(2), reusing: first, keys: firstKeys
        ).carriedOut()
        let repeats = count > 100_000 ? max(3, rounds / 3) : rounds * (count > 1000 ? 1 : 20)
        let change = await times(repeats) {
            await TablePreparation(of: contacts, around: Crowd.epoch(2), reusing: first, keys: firstKeys).carriedOut()
        }
        // The epoch after next begins an hour.
        let boundary = await times(repeats) {
            await TablePreparation(of: contacts, around: Crowd.epoch(3), reusing: table, keys: keys).carriedOut()
        }
        all.append([change, boundary])
        for ((what, limit), times) in zip(kinds, [change, boundary]) {
            func figure(_ what: String, _ value: Double, _ promise: Promise? = nil) -> Figure {
                Figure(
                    measure: "the change of an epoch, \(count) contacts, all processors", unit: "milliseconds",
                    contestant: what, value: .number(value), promise: promise?.kept(perSecond: value))
            }
            figures += [
                figure(what, times.median * 1000, count == 1_000_000 ? .value(atMost: limit) : nil),
                figure("  the fastest of \(repeats)", times.fastest * 1000),
                figure("  nanoseconds for each contact", times.median * 1e9 / Double(count)),
            ]
        }
    }
    for (index, (what, _)) in kinds.enumerated() {
        let growth = all[2][index].median / all[0][index].median / 1000
        figures.append(
            Figure(
                measure: "the change of an epoch, a million contacts against a thousand",
                unit: "how many times as long for each contact", contestant: what, value: .number(growth),
                promise: Promise.value(atMost: 1.6).kept(perSecond: growth)))
    }
    return figures
}

private struct Times {
    let median: Double
    let fastest: Double
}

private func times<Result>(_ rounds: Int, _ body: () async -> Result) async -> Times {
    let clock = ContinuousClock()
    var times: [Double] = []
    for _ in 0..<rounds {
        let start = clock.now
        let result = await body()
        times.append((clock.now - start).inSeconds)
        // Kept until here: to let go of the old table is not part of the change.
        withExtendedLifetime(result) {}
    }
    return Times(median: times.sorted()[rounds / 2], fastest: times.min() ?? 0)
}

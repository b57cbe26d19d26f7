import InklingEngine
import InklingKeys

/// What the change of an epoch costs: the next table, from keys that are kept, and from the trees when the hour is new.
///
/// On all processors; the median of several changes. A change in which `PredictedTable.init` does everything anew is there
/// for comparison.
func epochFigures(rounds: Int) async -> [Figure] {
    var figures: [Figure] = []
    var ordinary: [Double] = []
    for count in [1000, 100_000, 1_000_000] {
        let contacts = Crowd.contacts(count)
        let (first, firstKeys) = await TablePreparation(of: contacts, around: Crowd.epoch(1)).carriedOut()
        let (table, keys) = await TablePreparation(
            of: contacts, around: Crowd.epoch(2), reusing: first, keys: firstKeys
        ).carriedOut()
        let repeats = count > 100_000 ? max(3, rounds / 3) : rounds * (count > 1000 ? 1 : 20)
        let change = await seconds(repeats) {
            await TablePreparation(of: contacts, around: Crowd.epoch(2), reusing: first, keys: firstKeys).carriedOut()
        }
        let boundary = await seconds(repeats) {
            await TablePreparation(of: contacts, around: Crowd.epoch(3), reusing: table, keys: keys).carriedOut()
        }
        ordinary.append(change / Double(count))
        let isMillion = count == 1_000_000
        for (what, value, limit) in [
            ("an ordinary change", change, 120.0),
            ("the beginning of an hour, \(Crowd.steps) steps down each tree", boundary, 500),
        ] {
            figures.append(
                Figure(
                    measure: "the change of an epoch, \(count) contacts, all processors", unit: "milliseconds",
                    contestant: what, value: .number(value * 1000),
                    promise: isMillion ? Promise.value(atMost: limit).kept(perSecond: value * 1000) : nil))
            figures.append(
                Figure(
                    measure: "the change of an epoch, \(count) contacts, all processors", unit: "milliseconds",
                    contestant: "  nanoseconds for each contact", value: .number(value * 1e9 / Double(count))))
        }
    }
    let growth = (ordinary.last ?? 0) / (ordinary.first ?? 1)
    figures.append(
        Figure(
            measure: "the change of an epoch, a million contacts against a thousand",
            unit: "how many times as long for each contact", contestant: "an ordinary change", value: .number(growth),
            promise: Promise.value(atMost: 1.6).kept(perSecond: growth)))
    return figures
}

private func seconds<Result>(_ rounds: Int, _ body: () async -> Result) async -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    for _ in 0..<rounds {
        let start = clock.now
        let result = await body()
        times.append((clock.now - start).inSeconds)
        // Kept until here: to let go of the old table is not part of the change.
        withExtendedLifetime(result) {}
    }
    return times.sorted()[rounds / 2]
}

import InklingEngine
import InklingKeys
import InklingSimulation

/// What the change of an epoch costs: the next table, from keys that are kept, and at the beginning of an hour from what
/// is kept of the trees.
///
/// On all processors, through 16 hours, because an hour takes more steps down the trees the rounder its number is. What
/// is promised is a ratio of processor time of all threads.
func epochFigures(rounds: Int) async -> [Figure] {
    var figures: [Figure] = []
    var all: [Day] = []
    for count in [1000, 100_000, 1_000_000] {
        let contacts = Crowd.contacts(count)
        let repeats = count > 100_000 ? max(1, rounds / 10) : count > 1000 ? max(3, rounds / 3) : rounds
        var days: [Day] = []
        for _ in 0..<repeats { days.append(await day(contacts)) }
        let day = Day(
            ordinary: median(days.map(\.ordinary)), hour: median(days.map(\.hour)), wall: median(days.map(\.wall)),
            hourWall: median(days.map(\.hourWall)))
        all.append(day)
        func figure(_ what: String, _ value: Double, _ promise: Promise? = nil, in unit: String) -> Figure {
            Figure(
                measure: "the change of an epoch, \(count) contacts, all processors", unit: unit, contestant: what,
                value: .number(value), promise: promise?.kept(perSecond: value))
        }
        let ratio = median(days.map { $0.hour / $0.ordinary })
        figures += [
            figure("an ordinary change, milliseconds that pass", day.wall * 1000, in: "see each"),
            figure(
                "  nanoseconds of processor time for each contact", day.ordinary * 1e9 / Double(count), in: "see each"),
            figure("the beginning of an hour, milliseconds that pass", day.hourWall * 1000, in: "see each"),
            figure("  nanoseconds of processor time for each contact", day.hour * 1e9 / Double(count), in: "see each"),
            figure(
                "  how many times the processor time of an ordinary change", ratio,
                count == 1_000_000 ? .value(atMost: 2.2) : nil, in: "see each"),
        ]
    }
    for (what, time) in [("an ordinary change", \Day.ordinary), ("the beginning of an hour", \Day.hour)] {
        let growth = all[2][keyPath: time] / all[0][keyPath: time] / 1000
        figures.append(
            Figure(
                measure: "the change of an epoch, a million contacts against a thousand",
                unit: "how many times as long for each contact", contestant: what, value: .number(growth),
                promise: Promise.value(atMost: 1.6).kept(perSecond: growth)))
    }
    return figures
}

/// The seconds of a change, on average over 16 hours: of processor time, and that pass.
private struct Day {
    let ordinary: Double
    let hour: Double
    let wall: Double
    let hourWall: Double
}

private func day(_ contacts: [PredictedContact]) async -> Day {
    var (table, keys) = await TablePreparation(of: contacts, around: Crowd.epoch(1)).carriedOut()
    let hours = 16
    var (ordinary, hour) = (Spent(), Spent())
    for quarter in 2..<UInt32(4 * hours + 2) {
        let (old, oldKeys) = (table, keys)
        let before = Spent.now
        let next = await TablePreparation(of: contacts, around: Crowd.epoch(quarter), reusing: old, keys: oldKeys)
            .carriedOut()
        // The table of the last epoch of an hour also has the first epoch of the next.
        if quarter % 4 == 3 { hour += Spent.now - before } else { ordinary += Spent.now - before }
        (table, keys) = next
        // Kept until here: to let go of the old table is not part of the change.
        withExtendedLifetime((old, oldKeys)) {}
    }
    return Day(
        ordinary: ordinary.processor / Double(3 * hours), hour: hour.processor / Double(hours),
        wall: ordinary.wall / Double(3 * hours), hourWall: hour.wall / Double(hours))
}

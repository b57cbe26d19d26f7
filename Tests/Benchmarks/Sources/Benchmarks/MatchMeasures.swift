import InklingEngine
import InklingKeys
import InklingSimulation

/// An archive of a day: what contacts showed in each epoch is derived and looked up among that epoch's sightings.
///
/// The sightings are the table, as with exposure notifications. Device keys of the hours are ready, and so are the tables.
func matchFigures(rounds: Int, milliseconds: Int) -> [Figure] {
    let few = Archive(sightings: 20_000), many = Archive(sightings: 10_000_000)
    let hours = Archive.hours(of: 2000)
    guard few.matched(with: hours) == 96, many.matched(with: hours) == 96 * 105 else {
        fail("an archive has other sightings of contacts than were put in")
    }
    let measure = Measure(
        name: "an archive of one day, names derived and looked up among its sightings", unit: "predictions",
        batch: hours.count * 4 * 2000,
        contestants: [
            Contestant("20,000 sightings", isEquivalent: false) { few.matched(with: hours) },
            Contestant("10,000,000 sightings", isEquivalent: false) { many.matched(with: hours) },
        ])
    guard var figures = measure.figures(rounds: rounds, milliseconds: milliseconds), let ratio = figures[1].ratio else {
        fail("nothing was matched")
    }
    figures[1].ratio = nil
    let dearer = Promise.value(atMost: 1.6).kept(perSecond: ratio.median)
    return figures + [
        Figure(
            measure: "an archive of one day, 10,000,000 sightings against 20,000",
            unit: "how many times as long for each prediction", contestant: "names derived and looked up",
            value: .number(ratio.median), promise: dearer),
        Figure(
            measure: "an archive of one day, 10,000,000 sightings against 20,000", unit: "nanoseconds",
            contestant: "besides: to put a sighting into its table, of 10,000,000",
            value: .number(many.secondsToBuild * 1e9 / 10_000_000)),
    ]
}

/// The sightings of a day, in a table for each epoch.
private struct Archive {
    private let epochs: [SightedNames]
    let secondsToBuild: Double

    private static let firstHour: UInt32 = 496_000

    /// This many sightings, spread over the day; one in a thousand is a contact's.
    init(sightings: Int) {
        var generator = SplitMix(state: UInt64(sightings))
        let hours = Self.hours(of: 100)
        var names: [[OpaqueServiceName]] = []
        for quarter in 0..<96 {
            let own = hours[quarter / 4].value.names(Self.epoch(quarter))
            names.append(
                (0..<sightings / 96).map { number in
                    number % 1000 == 0
                        ? own[number / 1000 % own.count]
                        : OpaqueServiceName(Octets16(high: generator.next(), low: generator.next()))
                })
        }
        let clock = ContinuousClock()
        let start = clock.now
        epochs = names.map(SightedNames.init)
        secondsToBuild = (clock.now - start).inSeconds
    }

    /// The device keys of this many contacts for each hour of the day.
    static func hours(of contacts: Int) -> [SecretBox<DeviceLanes>] {
        let contacts = Crowd.contacts(contacts)
        return (0..<UInt32(24)).map { offset in
            guard let hour = Period(firstHour + offset) else { fail("no such hour") }
            var nodes = NodeLanes(covering: hour, capacity: contacts.count)
            for contact in contacts {
                for grant in contact.grants where !nodes.append(grant.tree.value) { fail("a grant without its hour") }
            }
            return SecretBox(DeviceLanes(.first, of: nodes.leaves()))
        }
    }

    private static func epoch(_ quarter: Int) -> Epoch {
        guard let epoch = Epoch(firstHour * 4 + UInt32(quarter)) else { fail("no such epoch") }
        return epoch
    }

    /// How many sightings of contacts there are.
    func matched(with hours: [SecretBox<DeviceLanes>]) -> UInt64 {
        var sum: UInt64 = 0
        for (quarter, sighted) in epochs.enumerated() {
            let predicted = hours[quarter / 4].value.names(Self.epoch(quarter))
            sighted.forEachSighting(of: predicted.span) { _, _ in sum += 1 }
        }
        return sum
    }
}

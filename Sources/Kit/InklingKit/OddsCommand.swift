import ArgumentParser
import InklingAccess
import InklingEngine
import InklingKeys
import InklingPredictions
import InklingTerminal

/// `inkling-kit odds`
struct OddsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odds",
        abstract: "Compute how often a stranger looks like a contact by chance, now and over the next day.",
        discussion: """
            A minor has 16 bits, so in a crowd some strangers show the minor of a contact, and sometimes two contacts \
            show the same one. Without --contacts, the figures are for this node's contacts, and the collisions are \
            those of the next 24 hours. Names have 128 bits, so equal ones do not occur by chance.

            Examples:
              $ inkling-kit odds --home ada
              $ inkling-kit odds --contacts 300 --devices 2 --strangers 50 --strangers 1000
            """)

    @OptionGroup var source: SourceOptions
    @Option(
        help: "Compute for this many contacts, 1 to 1000000, each with --devices, instead of this node's contacts.")
    var contacts: Int?
    @Option(help: "Compute for this many strangers' devices nearby; can be repeated. Default: 10, 50, 200, 1000.")
    var strangers: [Int] = []
    @Option(help: "Start the 24 hours at this time: RFC 3339 or Unix seconds. Default: now.") var at: String?
    @Flag(help: "Print JSON objects: the figures, one for each crowd, one for each collision.") var json = false

    /// The number of epochs in a day.
    private static let day: UInt32 = 96

    func validate() throws {
        if let contacts, !(1...1_000_000).contains(contacts) {
            throw ValidationError("--contacts must be 1 to 1000000, got \(contacts)")
        }
        if let wrong = strangers.first(where: { !(0...1_000_000_000).contains($0) }) {
            throw ValidationError("--strangers must be 0 to 1000000000, got \(wrong)")
        }
    }

    func run() async throws {
        try await reporting(home: source.home.home) {
            if let contacts {
                report(Odds(values: contacts * Int(source.devices)), contacts: contacts)
            } else {
                try await reportOwn()
            }
        }
    }

    /// Reports the odds among this node's contacts, and the collisions among them.
    private func reportOwn() async throws(Failure) {
        let moment = try at.map { text throws(Failure) in try Moment(text) } ?? Moment.now
        guard let now = Epoch(containing: moment.unixSeconds), let last = Epoch(now.number + Self.day) else {
            throw Failure(.usage, "there are no keys after August 2089", remedy: "Give an earlier time with --at.")
        }
        let predictions = try await source.open()
        let counting = SkewAllowance.standard.observedEpochs(at: moment.unixSeconds)
        var search = CollisionSearch()
        var found: [MinorCollision] = []
        var values = 0
        var seen: Set<ContactID> = []
        var live: Set<BeaconMinor> = []
        try predictions.forEach(in: (now.previous ?? now)...last) { epoch, entries in
            found += search.take(entries, of: epoch)
            if epoch == now {
                values = entries.count
                seen = Set(entries.map(\.prediction.contact))
            }
            if counting.contains(epoch) { live.formUnion(entries.map(\.minor)) }
        }
        let end = moment.unixSeconds + UInt64(Self.day) * Epoch.seconds
        let collisions = found.filter { collision in
            let interval = collision.interval(skew: .standard)
            return interval.upperBound > moment.unixSeconds && interval.lowerBound < end
        }.sorted {
            ($0.interval(skew: .standard).lowerBound, $0.minor.value)
                < ($1.interval(skew: .standard).lowerBound, $1.minor.value)
        }
        report(Odds(values: values), contacts: seen.count, live: live.count)
        report(collisions, labels: predictions.labels, now: moment)
    }

    private func report(_ odds: Odds, contacts: Int, live: Int? = nil) {
        let fact = OddsFact(
            contacts: contacts, values: odds.values, skew: odds.skew.seconds, entries: odds.entries,
            perStranger: odds.perStranger, countingNow: live, anyCollision: odds.anyCollision,
            collidingPairs: odds.collidingPairs)
        writeFact(fact, asJSON: json, otherwise: \.text)
        for strangers in strangers.isEmpty ? [10, 50, 200, 1000] : strangers {
            let day = Int(Self.day)
            let fact = FalseFriendsFact(
                strangers: strangers, falseFriends: odds.falseFriends(among: strangers),
                anyFalseFriend: odds.anyFalseFriend(among: strangers),
                falseFriendsInDay: odds.falseFriends(among: strangers, epochs: day),
                anyFalseFriendInDay: odds.anyFalseFriend(among: strangers, epochs: day))
            writeFact(fact, asJSON: json, otherwise: \.text)
        }
    }

    private func report(_ collisions: [MinorCollision], labels: [String], now: Moment) {
        let shownLimit = 10
        if !json {
            let count = collisions.count(where: { $0.interval(skew: .standard).contains(now.unixSeconds) })
            write("\ncollisions   \(count) now, \(collisions.count) until this time tomorrow\n")
        }
        for collision in json ? collisions[...] : collisions.prefix(shownLimit) {
            let interval = collision.interval(skew: .standard)
            let fact = CollisionFact(
                minor: collision.minor.value, from: timestamp(interval.lowerBound),
                until: timestamp(interval.upperBound),
                of: [collision.first, collision.second].map { prediction in
                    OwnerFact(
                        contact: labels[Int(prediction.contact.rawValue)], device: prediction.device.number,
                        epoch: prediction.epoch.number)
                })
            writeFact(fact, asJSON: json, otherwise: \.text)
        }
        if !json, collisions.count > shownLimit { write("  … and \(collisions.count - shownLimit) more: --json\n") }
    }
}

/// The odds among the contacts of a reader. Odds are probabilities, 0 to 1.
private struct OddsFact: Encodable {
    let contacts: Int
    /// The number of minors that the contacts show in an epoch.
    let values: Int
    /// The skew allowance in seconds.
    let skew: UInt64
    /// The number of minors that count at a time, on average.
    let entries: Double
    let perStranger: Double
    /// The number of minors that count now; null without real contacts.
    let countingNow: Int?
    let anyCollision: Double
    /// The expected number of pairs of equal minors in an epoch.
    let collidingPairs: Double

    var text: String {
        let now = countingNow.map { "\($0) count now, " } ?? ""
        return """
            contacts     \(contacts), with \(plural(values, "minor")) in an epoch; \(now)\
            \(figure(entries, digits: 3)) on average
            a stranger   looks like one of them with a chance of \(percentage(perStranger))
            each epoch   has two equal minors among them with a chance of \(percentage(anyCollision))

            strangers   false friends   at least one   in a day   at least one

            """
    }
}

/// The nearby strangers that look like contacts: their expected number, and the probability of at least one.
private struct FalseFriendsFact: Encodable {
    let strangers: Int
    let falseFriends: Double
    let anyFalseFriend: Double
    let falseFriendsInDay: Double
    let anyFalseFriendInDay: Double

    var text: String {
        padded("\(strangers)", to: 12) + padded(figure(falseFriends), to: 16)
            + padded(percentage(anyFalseFriend), to: 15)
            + padded(figure(falseFriendsInDay), to: 11) + percentage(anyFalseFriendInDay) + "\n"
    }
}

/// A contact that shows a value.
private struct OwnerFact: Encodable {
    let contact: String
    let device: UInt8
    let epoch: UInt32
}

/// Two contacts that show the same minor at the same time. Times are RFC 3339 in UTC.
private struct CollisionFact: Encodable {
    let minor: UInt16
    let from: String
    let until: String
    let of: [OwnerFact]

    var text: String {
        let sides = of.map { "\(printable($0.contact)), device \($0.device)" }
        return "  \(from) until \(until)   \(padded("\(minor)", to: 8))\(sides.joined(separator: "; "))\n"
    }
}

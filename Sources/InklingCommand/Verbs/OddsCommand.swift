import ArgumentParser
import InklingEngine
import InklingJSON
import InklingKeys

/// `inkling odds`
struct OddsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odds",
        abstract: "Compute how often a stranger looks like a contact by chance, now and over the next day.",
        discussion: """
            A minor has 16 bits, so in a crowd some strangers show one that a contact is expected to show, and \
            sometimes two contacts show the same. Without --contacts the figures are for this node's contacts, and the \
            collisions among them are the real ones of the next 24 hours. Names have 128 bits: no two are equal by \
            chance.

            Examples:
              $ inkling odds --home ada
              $ inkling odds --contacts 300 --devices 2 --strangers 50 --strangers 1000
            """)

    @OptionGroup var source: SourceOptions
    @Option(
        help: "Compute for this many contacts, 1 to 1000000, with --devices each, instead of this node's.")
    var contacts: Int?
    @Option(help: "Compute for this many devices of strangers near; can be repeated. Default: 10, 50, 200, 1000.")
    var strangers: [Int] = []
    @Option(help: "Begin the day at this time: RFC 3339 or Unix seconds. Default: now.") var at: String?
    @Flag(help: "Print JSON objects: the figures, one for each crowd, one for each collision.") var json = false

    /// How many epochs a day has.
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
        try await reporting(for: source.home) {
            if let contacts {
                report(Odds(values: contacts * Int(source.devices)), contacts: contacts)
            } else {
                try await reportOwn()
            }
        }
    }

    /// The odds of this node's contacts, and what collides among them.
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
        let facts: JSONObject = [
            "contacts": .integer(contacts), "values": .integer(odds.values), "skew": .integer(odds.skew.seconds),
            "entries": .fraction(odds.entries), "perStranger": .fraction(odds.perStranger),
            "countingNow": live.map { .integer($0) } ?? .null, "anyCollision": .fraction(odds.anyCollision),
            "collidingPairs": .fraction(odds.collidingPairs),
        ]
        write(facts, asJSON: json) { _ in
            let now = live.map { "\($0) count now, " } ?? ""
            return """
                contacts     \(contacts), with \(odds.values) minors in an epoch; \(now)\(figure(odds.entries, digits: 3)) on average
                a stranger   looks like one of them with a chance of \(percentage(odds.perStranger))
                each epoch   has two equal minors among them with a chance of \(percentage(odds.anyCollision))

                strangers   false friends   at least one   in a day   at least one

                """
        }
        for strangers in strangers.isEmpty ? [10, 50, 200, 1000] : strangers {
            let day = Int(Self.day)
            let facts: JSONObject = [
                "strangers": .integer(strangers), "falseFriends": .fraction(odds.falseFriends(among: strangers)),
                "anyFalseFriend": .fraction(odds.anyFalseFriend(among: strangers)),
                "falseFriendsInDay": .fraction(odds.falseFriends(among: strangers, epochs: day)),
                "anyFalseFriendInDay": .fraction(odds.anyFalseFriend(among: strangers, epochs: day)),
            ]
            write(facts, asJSON: json) { _ in
                padded("\(strangers)", to: 12) + padded(figure(odds.falseFriends(among: strangers)), to: 16)
                    + padded(percentage(odds.anyFalseFriend(among: strangers)), to: 15)
                    + padded(figure(odds.falseFriends(among: strangers, epochs: day)), to: 11)
                    + percentage(odds.anyFalseFriend(among: strangers, epochs: day)) + "\n"
            }
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
            let facts: JSONObject = [
                "minor": .integer(collision.minor.value), "from": .text(timestamp(interval.lowerBound)),
                "until": .text(timestamp(interval.upperBound)),
                "of": .list([collision.first, collision.second].map { .object(Self.facts($0, labels)) }),
            ]
            write(facts, asJSON: json) { fact in
                let sides = (fact["of"]?.list ?? []).compactMap(\.object).map { side in
                    "\(printable(side["contact"]?.text ?? "")), device \(side["device"]?.integer ?? 0)"
                }
                return "  \(fact["from"]?.text ?? "") until \(fact["until"]?.text ?? "")   "
                    + "\(padded("\(collision.minor.value)", to: 8))\(sides.joined(separator: "; "))\n"
            }
        }
        if !json, collisions.count > shownLimit { write("  … and \(collisions.count - shownLimit) more: --json\n") }
    }

    private static func facts(_ prediction: Prediction, _ labels: [String]) -> JSONObject {
        [
            "contact": .text(labels[Int(prediction.contact.rawValue)]), "device": .integer(prediction.device.number),
            "epoch": .integer(prediction.epoch.number),
        ]
    }
}

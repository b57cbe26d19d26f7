import ArgumentParser
import InklingEngine
import InklingNode
import InklingSimulation
import InklingTerminal

/// The options of a simulated crowd.
struct SimOptions: ParsableArguments {
    @Option(help: "Simulate this many contacts, 0 to 10000.") var contacts = 20
    @Option(help: "Simulate this many strangers' devices with the same protocol, 0 to 100000.") var strangers = 200
    @Option(help: "Simulate this many minutes, 1 to 10080.") var minutes = 240
    @Option(help: "Derive all random choices from this seed.") var seed: UInt64 = 1
    @Option(help: "Add this many devices that replay what contacts showed before, 0 to 1000.") var replayers = 0
    @Option(help: "Add this many devices that each show a random value every second, 0 to 1000.") var spoofers = 0
    @Option(help: "Make this percentage of the devices phones, which sleep most of the time.") var phones = 60
    @Option(help: "Put this percentage of the contacts on the network too; the others are heard by radio only.")
    var onNetwork = 50
    @Option(help: "Lose this percentage of the packets.") var loss = 20
    @Option(help: "Deliver this percentage of the packets twice.") var duplicates = 5
    @Option(help: "Deliver this percentage of the packets late, by up to 40 s.") var late = 2
    @Option(help: "Set clocks wrong by up to this many seconds, 0 to 3600; one in ten by up to three times as much.")
    var clockError = 60

    func validate() throws {
        for (name, value, range) in [
            ("contacts", contacts, 0...10_000), ("strangers", strangers, 0...100_000), ("minutes", minutes, 1...10_080),
            ("replayers", replayers, 0...1000), ("spoofers", spoofers, 0...1000), ("phones", phones, 0...100),
            ("on-network", onNetwork, 0...100), ("loss", loss, 0...100), ("duplicates", duplicates, 0...100),
            ("late", late, 0...100), ("clock-error", clockError, 0...3600),
        ] where !range.contains(value) {
            throw ValidationError("--\(name) must be \(range.lowerBound) to \(range.upperBound), got \(value)")
        }
    }

    var settings: CrowdSettings {
        var settings = CrowdSettings()
        settings.contacts = contacts
        settings.strangers = strangers
        settings.minutes = minutes
        settings.seed = seed
        settings.replayers = replayers
        settings.spoofers = spoofers
        settings.phones = Double(phones) / 100
        settings.contactsOnNetwork = Double(onNetwork) / 100
        settings.loss = Double(loss) / 100
        settings.duplication = Double(duplicates) / 100
        settings.lateness = Double(late) / 100
        settings.clockError = clockError
        return settings
    }

    /// Runs the simulation and shows its progress; `tell` receives its events.
    func run(_ tell: (Crowd.News) -> Void = { _ in }) -> (report: CrowdReport, forecast: Forecast) {
        let crowd = Crowd(settings)
        let forecast = crowd.forecast
        var progress = Progress(of: "minutes")
        let report = crowd.run { news in
            if case .minute(let minute) = news { progress.show(minute, share: Double(minute) / Double(minutes)) }
            tell(news)
        }
        progress.clear()
        return (report, forecast)
    }
}

extension CrowdReport {
    /// Returns the human-readable report.
    func text(of settings: CrowdSettings) -> String {
        let limit = settings.policy.attemptsPerMinute
        // The standard deviation of a count of chance events.
        let spread = falseFriendsExpected.squareRoot()
        var lines = [
            "\(plural(settings.contacts, "contact")) and \(plural(settings.strangers, "stranger")) in "
                + "\(plural(settings.minutes, "minute")), seed \(settings.seed): \(plural(sightings, "sighting"))",
            "recognised     \(longVisits.count - missed) of \(longVisits.count) stays of a minute or more; "
                + "half of them within \(words(delay(ofPart: 0.5))), 95 % within \(words(delay(ofPart: 0.95)))",
            "wrongly        \(falseConfirmations) confirmed, \(falsePresence / 1000) s counted as present, "
                + "\(plural(falseHints, "hint")) while away",
            "false friends  \(falseFriends) of \(strangersMinors) strangers' minors; expected by chance: "
                + "\(figure(falseFriendsExpected)) ± \(figure(spread))",
            "tries          \(tries.count), of which \(wastedTries) with another device; at most \(triesInWorstMinute) "
                + "in a minute over one technology, and \(limit) are allowed",
        ]
        if settings.replayers > 0 {
            lines.append(
                "replays        \(replaysInTime) in time, which a passive observer cannot detect; \(replaysTooLate) too late, "
                    + "\(replaysNoticed) detected; \(contested) contested")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func words(_ milliseconds: UInt64?) -> String {
        milliseconds.map { "\(figure(Double($0) / 1000)) s" } ?? "–"
    }
}

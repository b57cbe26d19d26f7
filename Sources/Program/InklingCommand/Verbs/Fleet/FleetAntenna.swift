import ArgumentParser
import InklingAccess
import InklingFleet
import InklingLinux
import InklingNode
import InklingTerminal

/// `inkling fleet antenna`
struct FleetAntenna: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "antenna",
        abstract: "Send what antennas hear to the matchers of a fleet, until Ctrl-C.",
        discussion: """
            The antennas are those of [[antennas]] in the configuration, and with --sightings - another program that \
            writes JSON objects, one per line (Specs/antennas.md). Beacons of other applications are dropped here. A \
            sighting is sent again until it is stored, for up to two minutes; after that the command drops it and \
            reports the loss.

            Examples:
              $ scanner | inkling fleet antenna --mqtt mqtts://broker.example --name hall --sightings -
              $ inkling fleet antenna --config office.toml --name office --json
            """)

    @OptionGroup var options: FleetOptions
    @OptionGroup var profile: ProfileOptions
    @Option(help: "The name of this part: lower-case letters, digits and hyphens.") var name: String
    @Option(
        help: ArgumentHelp(
            "Read sightings that another program writes to standard input, one JSON object per line.", valueName: "-")
    )
    var sightings: String?

    func validate() throws {
        guard FleetTopics.isName(name) else {
            throw ValidationError("--name must be 1 to 32 lower-case letters, digits and hyphens, got '\(name)'")
        }
        if let sightings, sightings != "-" {
            throw ValidationError("--sightings must be '-' for standard input, got '\(sightings)'")
        }
    }

    func run() async throws { try await reporting { try await send() } }

    private func send() async throws(Failure) {
        #if Node
            let configuration = try options.configuration()
            let (topics, broker) = try options.place(configuration)
            let profile = try profile.profile(in: nil)
            let clock = SystemClock()
            var antennas: [any Antenna] = []
            if sightings != nil { antennas.append(SightingLines(clock: clock, profile: profile)) }
            for setting in configuration.antennas {
                antennas.append(try setting.antenna(clock: clock, profile: profile, broker: broker))
            }
            guard !antennas.isEmpty else {
                throw Failure(
                    .usage, "there is no antenna",
                    remedy: "Add --sightings -, or name antennas in the configuration: inkling config example")
            }
            let part = FleetAntennaRun(
                name: name, topics: topics, broker: broker, antennas: antennas,
                report: FleetReport(isJSON: options.json))
            try await part.runUntilSignal()
        #else
            try requireNetwork()
        #endif
    }
}

import ArgumentParser

/// `inkling fleet`
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Run a part of a fleet: many antennas, several matchers and one broker that say who is present.",
        discussion: """
            The parts of a fleet communicate through an MQTT broker (Specs/fleet.md). Any of them may fail: nothing \
            that an antenna has delivered is lost or counted twice. A fleet has no keys; its matchers have \
            predictions, and its results are only hints.

            Examples:
              $ inkling-kit predict --home ada --hours 24 --output day.predictions
              $ inkling fleet match --mqtt mqtts://broker.example --table day.predictions
              $ inkling fleet presence --mqtt mqtts://broker.example --json
              $ scanner | inkling fleet antenna --mqtt mqtts://broker.example --name hall --sightings -
            """,
        subcommands: [FleetAntenna.self, FleetMatch.self, FleetPresence.self])
}

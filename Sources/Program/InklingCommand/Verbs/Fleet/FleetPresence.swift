import ArgumentParser
import InklingAccess
import InklingFleet
import InklingTerminal

/// `inkling fleet presence`
struct FleetPresence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "presence",
        abstract: "Decide who has arrived and who has left in a fleet, or stand by, until Ctrl-C.",
        discussion: """
            One of these processes holds the lease of the fleet and counts; the others stand by, and one of them takes \
            over when it fails. Presence is stored at the broker, in inkling/fleet/NAME/contact/ID; an arrival is \
            known by the contact and the number of its visit.

            Examples:
              $ inkling fleet presence --mqtt mqtts://broker.example --json
              $ inkling fleet presence --config office.toml --leave-after 300 --lease 10
            """)

    @OptionGroup var options: FleetOptions
    @Option(help: "Report contacts as left this many seconds after they were last heard, 30 to 86400.") var leaveAfter:
        UInt64 = 120
    @Option(help: "Take over from a holder that has been silent for this many seconds, 2 to 60.") var lease: UInt64 = 6

    func validate() throws {
        guard (30...86_400).contains(leaveAfter) else {
            throw ValidationError("--leave-after must be 30 to 86400, got \(leaveAfter)")
        }
        guard (2...60).contains(lease) else { throw ValidationError("--lease must be 2 to 60, got \(lease)") }
    }

    func run() async throws { try await reporting { try await decide() } }

    private func decide() async throws(Failure) {
        #if Node
            let (topics, broker) = try options.place(try options.configuration())
            let part = FleetPresenceRun(
                topics: topics, broker: broker, leaveAfter: .seconds(leaveAfter), leaseSeconds: lease,
                report: FleetReport(isJSON: options.json))
            try await part.runUntilSignal()
        #else
            try requireNetwork()
        #endif
    }
}

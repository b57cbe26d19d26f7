import ArgumentParser
import InklingAccess
import InklingTerminal

/// `inkling doctor`
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what a node needs from this machine, and report what to fix.",
        discussion: """
            Checks the clock, the home and its vault, the protection of memory, the network and multicast DNS, \
            Bluetooth, and the broker and the antennas of the configuration. Prints a line for each check: ✓ fine, ! \
            advice, ✗ must be fixed, ? could not be checked. Below it, each remedy is a command, or a line and the \
            file to write it in. Nothing is changed, no passphrase is asked for, and nothing is shown to other \
            devices.

            The exit code is 1 when something must be fixed.

            Examples:
              $ inkling doctor
              $ inkling doctor --home ada --listen 60
              $ inkling doctor --json | jq 'select(.verdict == "fault")'
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "Listen this many seconds for multicast DNS of other machines, 0 to 600.") var listen: UInt64 = 3
    @Option(help: "Check this Bluetooth adapter, such as hci0. Default: the first one.") var adapter: String?
    @Flag(help: "Skip the Bluetooth checks.") var withoutBluetooth = false
    @Flag(help: "Print one JSON object for each check.") var json = false

    func validate() throws {
        guard listen <= 600 else { throw ValidationError("--listen must be 0 to 600, got \(listen)") }
        guard adapter == nil || !withoutBluetooth else {
            throw ValidationError("--adapter cannot be combined with --without-bluetooth")
        }
    }

    func run() async throws {
        try await reporting(home: options.home) {
            let checkup = Checkup(
                options: options, listeningFor: listen, adapter: adapter, withoutBluetooth: withoutBluetooth,
                profile: { HomeObservation.profile(options) })
            var faults = 0
            for part in Checkup.Part.allCases {
                for finding in await checkup.findings(of: part) {
                    faults += finding.verdict == .fault ? 1 : 0
                    writeFact(FindingFact(finding, for: options), asJSON: json, otherwise: \.lines)
                }
            }
            guard faults == 0 else {
                throw Failure(.finding, "\(plural(faults, "check")) found something that must be fixed")
            }
        }
    }
}

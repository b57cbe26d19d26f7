import ArgumentParser
import InklingNode
import InklingTerminal
import InklingVault

/// `inkling contacts delay`
struct DelayContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delay", abstract: "Show or set when a contact counts as arrived and as left.",
        discussion: """
            delay      counts from                               range          default
            --arrive   when the contact is first confirmed       0 to 86400 s   0
            --leave    when it was last heard                    30 to 86400 s  120 s
            --goodbye  when it said goodbye, as a node does      30 to 86400 s  --leave if given,
                       that stops or becomes invisible                          else 30 s

            A duration is a number of seconds, or a number with s, m or h: 90, 90s, 5m, 1h. Delays that are not given \
            stay unchanged. A node that runs uses the new delays at once; later runs do too. They override \
            --arrive-after and --leave-after of inkling run, which are for contacts without a delay of their own.

            A longer --leave keeps a phone that is often silent from leaving and arriving again and again.

            Examples:
              $ inkling contacts delay Bob --leave 10m --home ada
              $ inkling contacts delay Bob --arrive 20s --goodbye 2m --home ada
              $ inkling contacts delay Bob --default --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Option(help: ArgumentHelp("Report the contact as arrived after this time of presence.", valueName: "duration"))
    var arrive: DelayWord?
    @Option(
        help: ArgumentHelp("Report the contact as left this long after it was last heard.", valueName: "duration"))
    var leave: DelayWord?
    @Option(
        help: ArgumentHelp(
            "Report the contact as left this long after it said goodbye.", valueName: "duration"))
    var goodbye: DelayWord?
    @Flag(name: .customLong("default"), help: "Reset the delays that are not given to the default.")
    var usesDefault = false
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        for (name, delay, range) in [
            ("--arrive", arrive, ContactDelays.arrivals), ("--leave", leave, ContactDelays.departures),
            ("--goodbye", goodbye, ContactDelays.departures),
        ] {
            guard let delay, !range.contains(delay.seconds) else { continue }
            throw ValidationError(
                "\(name) must be \(range.lowerBound) to \(range.upperBound) seconds, got \(delay.seconds)")
        }
    }

    func run() async throws {
        try await reporting(home: options.home) {
            let request = ControlRequest.delay(
                contact: contact, arrive: arrive?.seconds, leave: leave?.seconds, goodbye: goodbye?.seconds,
                isReset: usesDefault)
            for fact in try await NodeRequest(options: options, request: request, place: .vault).facts() {
                guard case .contact(let contact) = fact else { continue }
                writeFact(contact, asJSON: json) { "\(printable($0.contact)) \($0.delays.sentence).\n" }
            }
        }
    }
}

/// A delay as a person writes it: `90`, `90s`, `5m`, `1h`.
struct DelayWord: ExpressibleByArgument, Hashable {
    let seconds: UInt32

    /// Parses a delay; nil for any other text and for one of more than `UInt32.max` seconds.
    init?(argument: String) {
        let units: [Character: UInt32] = ["s": 1, "m": 60, "h": 3600]
        let unit = argument.last.flatMap { units[$0] }
        let digits = unit == nil ? argument[...] : argument.dropLast()
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(digits) else {
            return nil
        }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow else { return nil }
        self.seconds = seconds
    }
}

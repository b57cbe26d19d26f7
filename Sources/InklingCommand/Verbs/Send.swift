import ArgumentParser

/// `inkling send`
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a text to a contact, who need not be near now.",
        discussion: """
            The text is stored before the command returns, and the running node delivers it when it meets the contact. \
            Exits with 0 when it is queued or delivered, and with --wait only when the contact's node has stored it; with 1 \
            when that has not happened in time, and the text still waits.

            Examples:
              $ inkling send Bob 'Tea?' --home ada
              $ inkling send Bob 'Tea?' --home ada --wait 60
              $ inkling send Bob 'Tea tomorrow?' --home ada --expires 24
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The text, at most 8192 bytes.") var text: String
    @OptionGroup var options: HomeOptions
    @Option(help: "Wait up to this many seconds for the contact's node to store it, 0 to 3600.") var wait: UInt64 = 0
    @Option(help: "Withdraw the text if it is not delivered within this many hours, 1 to 8760. Default: 720.")
    var expires: UInt64 = 720
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard wait <= 3600 else { throw ValidationError("--wait must be 0 to 3600, got \(wait)") }
        guard (1...8760).contains(expires) else {
            throw ValidationError("--expires must be 1 to 8760, got \(expires)")
        }
    }

    func run() async throws {
        try await reporting(for: options) {
            let request = ControlRequest.send(contact: contact, text: text, expires: expires * 3600, wait: wait)
            // A node that does not run can store the text, but it delivers nothing.
            let place = wait > 0 ? NodeRequest.Place.runningNode : .vault
            for fact in try await NodeRequest(options: options, request: request, place: place).facts() {
                guard case .delivered(let sent) = fact else { continue }
                writeFact(sent, asJSON: json) { sent in
                    let contact = printable(sent.contact)
                    return sent.delivered
                        ? "Delivered to \(contact).\n" : "Queued for \(contact) (message \(sent.message.prefix(8))).\n"
                }
            }
        }
    }
}

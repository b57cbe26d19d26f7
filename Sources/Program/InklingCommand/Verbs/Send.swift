import ArgumentParser
import InklingTerminal

/// `inkling send`
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a text or a file to a contact, who need not be near now.",
        discussion: """
            The text is stored before the command returns, and the running node delivers it when it meets the contact. \
            Exits with 0 when it is queued or delivered, and with --wait only when the contact's node has stored it; with 1 \
            when that has not happened in time, and the text still waits.

            A file is offered as soon as the contact is near, and resumes after every interruption. Ctrl-C interrupts \
            it: the part received is kept for seven days, and the same command resumes it. Exits with 0 when the \
            contact's node has kept the file, and with 1 when it was refused or interrupted.

            Examples:
              $ inkling send Bob 'Tea?' --home ada
              $ inkling send Bob --file photo.jpg --home ada
              $ inkling send Bob 'Tea?' --home ada --wait 60
              $ inkling send Bob 'Tea tomorrow?' --home ada --expires 24
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The text, at most 8192 bytes.") var text: String?
    @Option(help: "Send this file instead of a text.") var file: String?
    @Flag(help: "Pause the file at the next quarter of an hour, so that no one can link the two devices across it.")
    var withinEpoch = false
    @Flag(help: "Do not wait for the delivery of the file.") var detach = false
    @OptionGroup var options: HomeOptions
    @Option(help: "Wait up to this many seconds for the contact's node to store the text, 0 to 3600.")
    var wait: UInt64 = 0
    @Option(help: "Withdraw the text if it is not delivered within this many hours, 1 to 8760. Default: 720.")
    var expires: UInt64?
    @Flag(help: "Print one JSON object, and for a file one for each change.") var json = false

    /// The default number of hours after which a text is withdrawn.
    private static let defaultHours = ControlRequest.defaultExpiry / 3600

    func validate() throws {
        guard (text == nil) != (file == nil) else { throw ValidationError("give a text, or --file PATH") }
        guard file != nil || !withinEpoch && !detach else {
            throw ValidationError("--within-epoch and --detach are for --file")
        }
        guard file == nil || wait == 0 && expires == nil else {
            throw ValidationError("--wait and --expires are only for texts")
        }
        guard wait <= 3600 else { throw ValidationError("--wait must be 0 to 3600, got \(wait)") }
        if let expires, !(1...8760).contains(expires) {
            throw ValidationError("--expires must be 1 to 8760, got \(expires)")
        }
    }

    func run() async throws {
        try await reporting(home: options.home) {
            if let file {
                return try await FileSending(
                    contact: contact, path: file, staysInEpoch: withinEpoch, isDetached: detach, asJSON: json
                ).carryOut(for: options)
            }
            let request = ControlRequest.send(
                contact: contact, text: text ?? "", expires: (expires ?? Self.defaultHours) * 3600, wait: wait)
            // A node that is not running can store the text, but not deliver it.
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

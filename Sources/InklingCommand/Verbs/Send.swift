import ArgumentParser

/// `inkling send`
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a text to a contact that is near now, or a file.",
        discussion: """
            Exits with 0 when the contact's node has acknowledged the text, 1 when it may or may not have arrived, and \
            69 when the contact is not near.

            A file is offered as soon as the contact is near, and goes on after every interruption. Ctrl-C interrupts it: \
            what has arrived is kept for seven days, and the same command goes on. Exits with 0 when the contact's node has \
            kept the file, and with 1 when it was refused or interrupted.

            Examples:
              $ inkling send Bob 'Tea?' --home ada
              $ inkling send Bob --file photo.jpg --home ada
              $ inkling send Bob 'Tea?' --home ada --wait 60
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The text, at most 8192 bytes.") var text: String?
    @Option(help: "Send this file instead of a text.") var file: String?
    @Flag(help: "Interrupt the file at the next quarter of an hour, so that nobody sees the same two devices go on.")
    var withinEpoch = false
    @Flag(help: "Do not wait for the delivery of the file.") var detach = false
    @OptionGroup var options: HomeOptions
    @Option(help: "Wait up to this many seconds for the contact to come near, 0 to 3600.") var wait: UInt64 = 0
    @Flag(help: "Print one JSON object, and for a file one for each change.") var json = false

    func validate() throws {
        guard (text == nil) != (file == nil) else { throw ValidationError("give a text, or --file PATH") }
        guard file != nil || !withinEpoch && !detach else {
            throw ValidationError("--within-epoch and --detach are for --file")
        }
        guard file == nil || wait == 0 else { throw ValidationError("--wait is for texts: a file waits by itself") }
        guard wait <= 3600 else { throw ValidationError("--wait must be 0 to 3600, got \(wait)") }
    }

    func run() async throws {
        try await reporting(for: options) {
            if let file {
                return try await FileSending(
                    contact: contact, path: file, staysInEpoch: withinEpoch, isDetached: detach, asJSON: json
                ).carryOut(for: options)
            }
            let deadline = ContinuousClock.now + .seconds(wait)
            while true {
                do throws(Failure) {
                    return try await deliver()
                } catch {
                    // Waiting helps only when the contact is absent.
                    guard error.status == .unavailable, ContinuousClock.now < deadline else { throw error }
                }
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private func deliver() async throws(Failure) {
        let request = ControlRequest.send(contact: contact, text: text ?? "")
        for fact in try await NodeRequest(options: options, request: request, place: .runningNode).facts() {
            guard case .delivered(let delivery) = fact else { continue }
            writeFact(delivery, asJSON: json) { "Delivered to \(printable($0.contact)).\n" }
        }
    }
}

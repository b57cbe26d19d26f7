import ArgumentParser

/// `inkling send`
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a text to a contact that is near now.",
        discussion: """
            Exits with 0 when the contact's node has acknowledged the text, 1 when it may or may not have arrived, and \
            69 when the contact is not near.

            Examples:
              $ inkling send Bob 'Tea?' --home ada
              $ inkling send Bob 'Tea?' --home ada --wait 60
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The text, at most 8192 bytes.") var text: String
    @OptionGroup var options: HomeOptions
    @Option(help: "Wait up to this many seconds for the contact to come near, 0 to 3600.") var wait: UInt64 = 0
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard wait <= 3600 else { throw ValidationError("--wait must be 0 to 3600, got \(wait)") }
    }

    func run() async throws {
        try await reporting(for: options) {
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
        let request = ControlRequest.send(contact: contact, text: text)
        for fact in try await NodeRequest(options: options, request: request, place: .runningNode).facts() {
            guard case .delivered(let delivery) = fact else { continue }
            writeFact(delivery, asJSON: json) { "Delivered to \(printable($0.contact)).\n" }
        }
    }
}

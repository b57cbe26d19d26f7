import ArgumentParser
import InklingJSON

/// `inkling send`
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deliver a text to a contact that is here now.",
        discussion: """
            Ends with 0 when the contact's node has confirmed the text, 1 when it may or may not have arrived, 69 when \
            the contact is not here.

            Examples:
              $ inkling send Bob 'Tea?' --home ada
              $ inkling send Bob 'Tea?' --home ada --wait 60
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The text, at most 8192 bytes.") var text: String
    @OptionGroup var options: HomeOptions
    @Option(help: "How many seconds to wait for the contact to be here, 0 to 3600.") var wait: UInt64 = 0
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        guard wait <= 3600 else { throw ValidationError("--wait must be 0 to 3600, got \(wait)") }
    }

    func run() async throws {
        try await reporting {
            let deadline = ContinuousClock.now + .seconds(wait)
            while true {
                do throws(Failure) {
                    return try await deliver()
                } catch {
                    // Anything but absence would not pass by waiting.
                    guard error.status == .unavailable, ContinuousClock.now < deadline else { throw error }
                }
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private func deliver() async throws(Failure) {
        let request: JSONObject = ["do": "send", "contact": .text(contact), "text": .text(text)]
        for fact in try await NodeRequest(options: options, request: request, place: .runningNode).answer() {
            write(fact, asJSON: json) { "Delivered to \(printable($0["contact"]?.text ?? "")).\n" }
        }
    }
}

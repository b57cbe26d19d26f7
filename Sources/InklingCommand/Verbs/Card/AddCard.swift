import ArgumentParser
import InklingJSON

/// `inkling card add`
struct AddCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a contact from its card, or take a grant that was sealed for you.",
        discussion: """
            Adding a card prints a sealed grant for its owner. When each of two people has added the other's card \
            and taken the other's grant, their nodes recognise each other without ever having met.

            Examples:
              $ inkling card add - < bob.card
              $ inkling card add INKLING:C:… --home ada
            """)

    @Argument(help: "The text of a card or of a sealed grant; - reads it from standard input.") var text: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Believe this machine's clock although nothing synchronises it.") var trustClock = false
    @Flag(help: "Print JSON objects: the contact, then one for each sealed grant.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "add", "text": .text(try textArgument(text))]
            let call = NodeRequest(
                options: options, request: request, place: .vault, trustsClock: trustClock, needsAcceptedTime: true)
            try await call.perform { fact in
                write(fact, asJSON: json) { fact in
                    guard let sealed = fact["sealedGrant"]?.text else { return contactLine(fact) }
                    return "Send this to the new contact, who gives it to: inkling card add\n\(sealed)\n"
                }
            }
        }
    }
}

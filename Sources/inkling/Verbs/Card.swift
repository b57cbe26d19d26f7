import ArgumentParser
import InklingJSON

/// `inkling card`
struct Card: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or export your card, or add somebody else's.",
        subcommands: [ShowCard.self, ExportCard.self, AddCard.self])
}

/// `inkling card show`
struct ShowCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show your card as a QR code and as text.",
        discussion: """
            A card says which keys are yours. It is no secret, but it names you: give it to people.

            Example:
              $ inkling card show --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            try await NodeRequest(options: options, request: ["do": "card"], place: .vault).perform { fact in
                guard !json else { return write(JSON.object(fact).compact + "\n") }
                let text = fact["card"]?.text ?? ""
                showQRCode(of: text)
                write("\(printable(fact["name"]?.text ?? ""))\n\(text)\n")
            }
        }
    }
}

/// `inkling card export`
struct ExportCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print your card's text and nothing else.",
        discussion: """
            Example:
              $ inkling card export --home ada > ada.card
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            try await NodeRequest(options: options, request: ["do": "card"], place: .vault).perform { fact in
                write((json ? JSON.object(fact).compact : fact["card"]?.text ?? "") + "\n")
            }
        }
    }
}

/// `inkling card add`
struct AddCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a contact from its card, or take a grant that was sealed for you.",
        discussion: """
            Adding a card prints a sealed grant for its owner. When each of two people has added the other's card \
            and taken the other's grant, their nodes recognise each other without ever having met.

            Examples:
              $ inkling card add - < bob.card
              $ inkling card add INKLING:C:…
            """)

    @Argument(help: "The text of a card or of a sealed grant; - reads it from standard input.") var text: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print JSON objects: the contact, then one for each sealed grant.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "add", "text": .text(try textArgument(text))]
            try await NodeRequest(options: options, request: request, place: .vault, needsAcceptedTime: true).perform {
                fact in
                if json { return write(JSON.object(fact).compact + "\n") }
                if let sealed = fact["sealedGrant"]?.text {
                    write("Send this to the new contact, who gives it to: inkling card add\n\(sealed)\n")
                } else {
                    write(contactLine(fact))
                }
            }
        }
    }
}

/// An argument that may be long: its text, or with `-` the first line of standard input.
func textArgument(_ text: String) throws(Failure) -> String {
    guard text == "-" else { return text }
    var lines = StandardInputLines(limit: 65_536)
    guard let line = lines.next(), let read = String(validating: line, as: UTF8.self), !read.isEmpty else {
        throw Failure(.badData, "standard input holds no text")
    }
    return String(read.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
}

import ArgumentParser
import InklingAccess
import InklingKeys
import InklingTerminal

/// `inkling card`
struct Card: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card",
        abstract: "Show or export your card, or add another person's.",
        discussion: """
            Examples:
              $ inkling card export --home ada > ada.card
              $ inkling card add - --home bob < ada.card
            """,
        subcommands: [ShowCard.self, ExportCard.self, AddCard.self])
}

/// `inkling card show`
struct ShowCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show your card as a QR code and as text.",
        discussion: """
            A card lists your keys. It is not secret, but it identifies you: give it only to people you know.

            Example:
              $ inkling card show --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            for card in try await options.facts(of: Request.Card(), on: .vault) {
                if !json { showQRCode(of: card.card) }
                writeFact(card, asJSON: json) { "\(printable($0.name))\n\($0.card)\n" }
            }
        }
    }
}

/// `inkling card export`
struct ExportCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the text of your card and nothing else.",
        discussion: """
            Example:
              $ inkling card export --home ada > ada.card
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.Card(), on: .vault, asJSON: json) { $0.card + "\n" }
        }
    }
}

/// `inkling card add`
struct AddCard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a contact from its card, or accept a grant that was sealed for you.",
        discussion: """
            Adding a card prints a sealed grant for its owner. Once two people have added each other's cards and \
            accepted each other's grants, their nodes recognise each other without having met.

            Examples:
              $ inkling card add - < bob.card
              $ inkling card add INKLING:C:… --home ada
            """)

    @Argument(help: "The text of a card or a sealed grant, in one piece or several; - reads it from standard input.")
    var text: [String]
    @OptionGroup var options: HomeOptions
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print JSON objects: the contact, then one for each sealed grant.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let request = Request.AddCard(text: try publicText())
            try await options.carryOut(request, on: .acceptedTime, trustsClock: trustClock) { fact in
                switch fact {
                case .first(let contact): writeFact(contact, asJSON: json) { $0.line(for: options) }
                case .second(let grant):
                    writeFact(grant, asJSON: json) {
                        "Send this to the new contact, who accepts it with: inkling card add\n\($0.sealedGrant)\n"
                    }
                }
            }
        }
    }

    /// Returns the text, which is not secret.
    ///
    /// - Throws: `Failure` for an invitation, which then does not leave this process.
    private func publicText() throws(Failure) -> String {
        try objectText(text).withBytes { text throws(Failure) in
            if let object = try? ObjectText(text), object.kind == .invitation { throw .invitationInsteadOfCard }
            return String(decoding: text.indices.map { text[$0] }, as: UTF8.self)
        }
    }
}

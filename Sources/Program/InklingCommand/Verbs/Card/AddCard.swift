import ArgumentParser
import InklingKeys
import InklingTerminal

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
            let call = NodeRequest(
                options: options, request: .add(text: try publicText()), place: .vault, trustsClock: trustClock,
                needsAcceptedTime: true)
            try await call.perform { fact in
                switch fact {
                case .contact(let contact): writeFact(contact, asJSON: json) { $0.line(for: options) }
                case .sealedGrant(let grant):
                    writeFact(grant, asJSON: json) {
                        "Send this to the new contact, who accepts it with: inkling card add\n\($0.sealedGrant)\n"
                    }
                default: break
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

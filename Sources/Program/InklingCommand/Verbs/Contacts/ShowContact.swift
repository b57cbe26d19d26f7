import ArgumentParser
import InklingTerminal

/// `inkling contacts show`
struct ShowContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one contact in detail.",
        discussion: """
            Example:
              $ inkling contacts show Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let request = ControlRequest.contact(named: contact)
            for fact in try await NodeRequest(options: options, request: request, place: .vault).facts() {
                guard case .contact(let contact) = fact else { continue }
                writeFact(contact, asJSON: json, otherwise: text)
            }
        }
    }

    private func text(_ fact: ContactFact) -> String {
        let review = options.hint("recover --reviewed \(shellQuoted(fact.contact))")
        let backup = fact.restoredFrom.map { ", it is that of \($0)" } ?? ""
        return """
            name                \(printable(fact.contact))
            name on the card    \(printable(fact.cardName))
            id                  \(fact.id)
            devices             \(fact.devices.map { "\($0)" }.joined(separator: ", "))
            presence            \(fact.presence)\(fact.since.map { " since \($0)" } ?? "")
            delays              \(fact.delays.sentence)
            blocked             \(fact.blocked ? "yes" : "no")
            needs review        \(fact.needsReview ? "yes\(backup): \(review)" : "no")
            standing            \(fact.standing)
            met                 \(fact.met ? "yes" : "no, added by card")
            we recognise it     \(fact.recognisedUntil.map { "until \($0)" } ?? "no: no grant from this contact")
            it recognises us    \(fact.recognisesUsUntil.map { "until \($0)" } ?? "no: nothing was granted")

            """
    }
}

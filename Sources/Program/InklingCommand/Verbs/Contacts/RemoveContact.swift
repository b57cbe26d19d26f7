import ArgumentParser

/// `inkling contacts remove`
struct RemoveContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a contact; this node no longer answers it.",
        discussion: """
            The contact can recognise this node until its grant expires. The command says until when, and what it \
            costs to end that at once; on a terminal it asks whether to, and --renew does it without asking. Until then \
            inkling audience who lists the person.

            To refuse somebody's invitations too, block the contact and do not remove it.

            Examples:
              $ inkling contacts remove Bob --home ada
              $ inkling contacts remove Bob --renew --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Begin new generations of the audiences that the contact holds: it then recognises nothing.")
    var renew = false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(for: options) {
            let request = ControlRequest.remove(contact: contact)
            for fact in try await NodeRequest(options: options, request: request, place: .vault).facts() {
                guard case .removed(let removal) = fact else { continue }
                writeFact(removal, asJSON: json) { $0.text(for: options) }
                guard !removal.audiences.isEmpty, renew || !json && isTerminal(0) && asks("End that now? [y/n] ") else {
                    continue
                }
                _ = try await NodeRequest(
                    options: options, request: .renew(audiences: removal.audiences), place: .vault,
                    trustsClock: trustClock, needsAcceptedTime: true
                ).facts()
                if !json { write("\(printable(removal.removed)) recognises this node no longer.\n") }
            }
        }
    }
}

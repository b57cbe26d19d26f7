import ArgumentParser
import InklingTerminal

/// `inkling contacts remove`
struct RemoveContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a contact; this node no longer answers it.",
        discussion: """
            The contact can recognise this node until its grant expires. The command shows until when, and what ending \
            that at once costs; on a terminal it asks whether to end it, and --renew does so without asking. Until \
            then 'inkling audience who' lists the person.

            To refuse the person's invitations as well, block the contact instead of removing it.

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
        try await reporting(home: options.home) {
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

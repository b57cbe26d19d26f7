import ArgumentParser
import InklingTerminal

/// `inkling audience assign`
struct AssignContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Add a contact to an audience and its enclosing ones.",
        discussion: """
            The contact gets its grants in the open session, or at the next meeting.

            Example:
              $ inkling audience assign Bob friends --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The audience.") var audience: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await writeAudiences(
                .assign(contact: contact, audience: audience, isMember: true), options, json: json)
        }
    }
}

/// `inkling audience unassign`
struct UnassignContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unassign", abstract: "Remove a contact from an audience and those inside it.",
        discussion: """
            Sessions that only its membership allows end at once. Until its grant of the audience ends, the contact \
            can still recognise you by it; 'inkling audience who' shows until when, and 'inkling contacts renew \
            --audience' ends it.

            Example:
              $ inkling audience unassign Bob friends --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The audience.") var audience: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await writeAudiences(
                .assign(contact: contact, audience: audience, isMember: false), options, json: json)
            guard !json else { return }
            let people = try await NodeRequest(options: options, request: .recognisers, place: .vault).facts()
            for case .recogniser(let person) in people where person.contact == contact || person.id.hasPrefix(contact) {
                guard let held = person.grants.first(where: { $0.audience == audience }) else { continue }
                let command = options.hint("contacts renew --audience \(shellQuoted(audience))")
                write(
                    "\(printable(contact)) can recognise you by it until \(localTime(held.until)). To end that now: "
                        + "\(command)\n")
            }
        }
    }
}

import ArgumentParser
import InklingAccess
import InklingTerminal

/// `inkling audience`
struct AudienceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "Control by groups who can recognise you: list, create, fill and show audiences.",
        discussion: """
            An audience is a group of contacts with its own keys. A node shows one at a time, and only its members \
            recognise it then. The audience 'all' contains every contact; others are nested in it or in each other: \
            with 'close' inside 'friends', everyone in 'close' is in 'friends', too. Names of audiences stay on this \
            device.

            Example:
              $ inkling audience create friends --home ada
              $ inkling audience create close --within friends --home ada
              $ inkling audience assign Bob close --home ada
              $ inkling audience show close --home ada
              $ inkling audience who --home ada
            """,
        subcommands: [
            ListAudiences.self, CreateAudience.self, RenameAudience.self, RemoveAudience.self, AssignContact.self,
            UnassignContact.self, ShowAudience.self, ListRecognisers.self,
        ])
}

/// `inkling audience list`
struct ListAudiences: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the audiences, with their members and who can recognise you by them.",
        discussion: """
            Example:
              $ inkling audience list --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each audience.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.Audiences(), on: .vault, asJSON: json, words: \.line)
        }
    }
}

/// `inkling audience create`
struct CreateAudience: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an audience without members.",
        discussion: """
            Example:
              $ inkling audience create close --within friends --home ada
            """)

    @Argument(help: "The name, 1 to 64 bytes; it stays on this device.") var name: String
    @Option(help: "The enclosing audience; members of the new one belong to it too.") var within: String?
    @OptionGroup var options: HomeOptions
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let request = Request.CreateAudience(name: name, within: within)
            try await options.show(
                request, on: .acceptedTime, trustsClock: trustClock, asJSON: json, words: \.line)
        }
    }
}

/// `inkling audience rename`
struct RenameAudience: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give an audience another name; nobody else sees it.",
        discussion: """
            Example:
              $ inkling audience rename friends mates --home ada
            """)

    @Argument(help: "The audience.") var audience: String
    @Argument(help: "The new name.") var name: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let request = Request.RenameAudience(audience: audience, name: name)
            try await options.show(request, on: .vault, asJSON: json, words: \.line)
        }
    }
}

/// `inkling audience remove`
struct RemoveAudience: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an audience; its members stay contacts.",
        discussion: """
            No one can recognise you by its grants any more, because no device shows it. A node that is showing it \
            becomes invisible. Audiences inside it move to the enclosing one.

            Example:
              $ inkling audience remove close --home ada
            """)

    @Argument(help: "The audience.") var audience: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object, of the audience as it was.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.RemoveAudience(audience: audience), on: .vault, asJSON: json) {
                "The audience \(printable($0.audience)) is removed.\n"
            }
        }
    }
}

/// `inkling audience show`
struct ShowAudience: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Choose what the node shows: an audience, one contact, or nothing.",
        discussion: """
            The same as inkling visible; see its help for details.

            Example:
              $ inkling audience show close --home ada
            """)

    @OptionGroup var choice: Visible

    func run() async throws { try await choice.run() }
}

/// `inkling audience assign`
struct AssignContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Add a contact to an audience and its enclosing ones.",
        discussion: """
            The contact gets its grants in the open session, or at the next meeting.

            Example:
              $ inkling audience assign Bob friends --home ada
            """)

    @OptionGroup var change: MembershipOptions

    func run() async throws {
        try await reporting(home: change.options.home) {
            try await change.carryOut(isMember: true)
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

    @OptionGroup var change: MembershipOptions

    func run() async throws {
        try await reporting(home: change.options.home) {
            try await change.carryOut(isMember: false)
            guard !change.json else { return }
            let people = try await change.options.facts(of: Request.Recognisers(), on: .vault)
            for person in people where person.contact == change.contact || person.id.hasPrefix(change.contact) {
                guard let held = person.grants.first(where: { $0.audience == change.audience }) else { continue }
                let command = change.options.hint("contacts renew --audience \(shellQuoted(change.audience))")
                write(
                    "\(printable(change.contact)) can recognise you by it until \(localTime(held.until)). To end that now: "
                        + "\(command)\n")
            }
        }
    }
}

/// Who is to belong to an audience or no more.
struct MembershipOptions: ParsableArguments {
    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The audience.") var audience: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    /// Changes who belongs to the audience, and prints the audience.
    func carryOut(isMember: Bool) async throws(Failure) {
        let request = Request.Assign(contact: contact, audience: audience, member: isMember)
        for case .second(let audience) in try await options.facts(of: request, on: .vault) {
            writeFact(audience, asJSON: json, otherwise: \.line)
        }
    }
}

/// `inkling audience who`
struct ListRecognisers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "who", abstract: "List who can recognise you, by which audience, and until when.",
        discussion: """
            Lists every contact, and every former contact who can still recognise you, until the last grant has \
            expired. A grant is listed before it is sent.

            Example:
              $ inkling audience who --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each person.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let facts = try await options.facts(of: Request.Recognisers(), on: .vault)
            if facts.isEmpty, !json { write("Nobody can recognise you.\n") }
            if !facts.isEmpty, !json { write(RecogniserFact.heading) }
            for person in facts {
                guard writeFact(person, asJSON: json, otherwise: \.rows) else { return }
            }
        }
    }
}

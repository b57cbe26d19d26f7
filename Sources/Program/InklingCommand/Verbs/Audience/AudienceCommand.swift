import ArgumentParser
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
        try await reporting(home: options.home) { try await writeAudiences(.audiences, options, json: json) }
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
            try await writeAudiences(
                .createAudience(name: name, within: within), options, trustsClock: trustClock, needsTime: true,
                json: json)
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
            try await writeAudiences(.renameAudience(audience: audience, name: name), options, json: json)
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
            for case .audience(let fact) in try await NodeRequest(
                options: options, request: .removeAudience(audience: audience), place: .vault
            ).facts() {
                writeFact(fact, asJSON: json) { "The audience \(printable($0.audience)) is removed.\n" }
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

/// Carries out a request and prints the audiences that it reports.
func writeAudiences(
    _ request: ControlRequest, _ options: HomeOptions, trustsClock: Bool = false, needsTime: Bool = false, json: Bool
) async throws {
    let call = NodeRequest(
        options: options, request: request, place: .vault, trustsClock: trustsClock, needsAcceptedTime: needsTime)
    for case .audience(let fact) in try await call.facts() {
        guard writeFact(fact, asJSON: json, otherwise: \.line) else { return }
    }
}

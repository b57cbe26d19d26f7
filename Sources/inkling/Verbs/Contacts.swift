import ArgumentParser
import InklingJSON

/// `inkling contacts`
struct Contacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, show, rename or remove contacts.",
        subcommands: [ListContacts.self, ShowContact.self, RenameContact.self, RemoveContact.self])
}

/// `inkling contacts list`
struct ListContacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all contacts.",
        discussion: """
            Example:
              $ inkling contacts list --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object a line.") var json = false

    func run() async throws {
        try await reporting {
            try await NodeRequest(options: options, request: ["do": "contacts"], place: .vault)
                .perform { fact in write(json ? JSON.object(fact).compact + "\n" : contactLine(fact)) }
        }
    }
}

/// `inkling contacts show`
struct ShowContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what is known about one contact.",
        discussion: """
            Example:
              $ inkling contacts show Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "contact", "contact": .text(contact)]
            try await NodeRequest(options: options, request: request, place: .vault).perform { fact in
                write(json ? JSON.object(fact).compact + "\n" : Self.text(fact))
            }
        }
    }

    private static func text(_ fact: JSONObject) -> String {
        let devices = (fact["devices"]?.list ?? []).compactMap(\.integer).map { "\($0)" }.joined(separator: ", ")
        return """
            name                \(printable(fact["contact"]?.text ?? ""))
            name on the card    \(printable(fact["cardName"]?.text ?? ""))
            id                  \(fact["id"]?.text ?? "")
            devices             \(devices)
            presence            \(fact["presence"]?.text ?? "")
            met                 \(fact["met"]?.flag == true ? "yes" : "no, known by card")
            we recognise it     \(fact["recognisedUntil"]?.text.map { "until \($0)" } ?? "no: it has granted us nothing")
            it recognises us    \(fact["recognisesUsUntil"]?.text.map { "until \($0)" } ?? "not that it has said")

            """
    }
}

/// `inkling contacts rename`
struct RenameContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a contact a name of your own; an empty one brings back the card's.",
        discussion: """
            Example:
              $ inkling contacts rename Bob 'Bob from work'
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The new name, at most 64 bytes.") var name: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "rename", "contact": .text(contact), "name": .text(name)]
            try await NodeRequest(options: options, request: request, place: .vault).perform { fact in
                let was = printable(fact["was"]?.text ?? "")
                write(json ? JSON.object(fact).compact + "\n" : "\(was) is now called \(printable(name)).\n")
            }
        }
    }
}

/// `inkling contacts remove`
struct RemoveContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a contact: from now on it gets silence.",
        discussion: """
            What the contact was granted lets it recognise this node until the grant ends.

            Example:
              $ inkling contacts remove Bob
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "remove", "contact": .text(contact)]
            try await NodeRequest(options: options, request: request, place: .vault).perform { fact in
                let removed = printable(fact["removed"]?.text ?? "")
                write(json ? JSON.object(fact).compact + "\n" : "\(removed) is no contact any more.\n")
            }
        }
    }
}

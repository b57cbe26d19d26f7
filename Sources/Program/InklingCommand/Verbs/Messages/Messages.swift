import ArgumentParser
import InklingNode
import InklingTerminal

/// `inkling messages`
struct Messages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "List, show, read or remove queued and received messages.",
        discussion: """
            Example:
              $ inkling messages list --home ada
            """,
        subcommands: [ListMessages.self, ShowMessage.self, ReadMessages.self, RemoveMessage.self])
}

/// `inkling messages list`
struct ListMessages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List messages: queued, delivered, unread and read.",
        discussion: """
            A queued message waits for the contact; a delivered one is stored by the contact's node. Texts are not shown.

            Examples:
              $ inkling messages list --home ada
              $ inkling messages list --with Bob --home ada --json
            """)

    @Option(help: "Only messages to or from this contact.") var with: String?
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each message.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let request = ControlRequest.messages(contact: with)
            let facts = try await NodeRequest(options: options, request: request, place: .vault).facts()
            for fact in facts {
                guard case .message(let message) = fact else { continue }
                guard writeFact(message, asJSON: json, otherwise: { $0.line }) else { return }
            }
            if facts.isEmpty, !json { write("No messages.\n") }
        }
    }
}

/// `inkling messages show`
struct ShowMessage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one message with its text, and leave it unread.",
        discussion: """
            Example:
              $ inkling messages show 1f3a90c2 --home ada
            """)

    @Argument(help: "At least 8 digits of the message's id.") var message: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let request = ControlRequest.message(id: message)
            for fact in try await NodeRequest(options: options, request: request, place: .vault).facts() {
                guard case .message(let message) = fact else { continue }
                writeFact(message, asJSON: json) { $0.line + $0.words }
            }
        }
    }
}

/// `inkling messages read`
struct ReadMessages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Show the unread messages, and count them as read.",
        discussion: """
            Each message counts as read when it has been written. If the command is interrupted in between, the message \
            is shown again the next time, with the same id.

            Examples:
              $ inkling messages read --home ada
              $ inkling messages read --with Bob --home ada --json
            """)

    @Option(help: "Only messages from this contact.") var with: String?
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each message.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            var count = 0
            for fact in try await facts(.messages(contact: with)) {
                guard case .message(let listed) = fact, listed.state == .unread else { continue }
                for case .message(let message) in try await facts(.message(id: listed.message)) {
                    guard writeFact(message, asJSON: json, otherwise: { $0.line + $0.words }) else { return }
                }
                _ = try await facts(.acknowledge(id: listed.message))
                count += 1
            }
            if count == 0, !json { write("No unread messages.\n") }
        }
    }

    private func facts(_ request: ControlRequest) async throws(Failure) -> [ControlFact] {
        try await NodeRequest(options: options, request: request, place: .vault).facts()
    }
}

/// `inkling messages remove`
struct RemoveMessage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Withdraw a queued message, or remove another one from the list.",
        discussion: """
            A queued message that the contact receives before this takes effect is delivered all the same.

            Example:
              $ inkling messages remove 1f3a90c2 --home ada
            """)

    @Argument(help: "At least 8 digits of the message's id.") var message: String
    @OptionGroup var options: HomeOptions

    func run() async throws {
        try await reporting(home: options.home) {
            let request = ControlRequest.removeMessage(id: message)
            _ = try await NodeRequest(options: options, request: request, place: .vault).facts()
            write("Removed.\n")
        }
    }
}

extension MessageFact {
    /// The text on lines of its own, indented, so that it cannot look like another message.
    var words: String {
        guard let text else { return "    (its text is not kept)\n" }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \(printable(String($0)))\n" }
            .joined()
    }
}

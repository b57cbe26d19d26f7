import ArgumentParser
import InklingAccess
import InklingNode
import InklingTerminal

/// `inkling send`
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a text or a file to a contact, who need not be near now.",
        discussion: """
            The text is stored before the command returns, and the running node delivers it when it meets the contact. \
            Exits with 0 when it is queued or delivered, and with --wait only when the contact's node has stored it; with 1 \
            when that has not happened in time, and the text still waits.

            A file is offered as soon as the contact is near, and resumes after every interruption. Ctrl-C interrupts \
            it: the part received is kept for seven days, and the same command resumes it. Exits with 0 when the \
            contact's node has kept the file, and with 1 when it was refused or interrupted.

            Examples:
              $ inkling send Bob 'Tea?' --home ada
              $ inkling send Bob --file photo.jpg --home ada
              $ inkling send Bob 'Tea?' --home ada --wait 60
              $ inkling send Bob 'Tea tomorrow?' --home ada --expires 24
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The text, at most 8192 bytes.") var text: String?
    @Option(help: "Send this file instead of a text.") var file: String?
    @Flag(help: "Pause the file at the next quarter of an hour, so that no one can link the two devices across it.")
    var withinEpoch = false
    @Flag(help: "Do not wait for the delivery of the file.") var detach = false
    @OptionGroup var options: HomeOptions
    @Option(help: "Wait up to this many seconds for the contact's node to store the text, 0 to 3600.")
    var wait: UInt64 = 0
    @Option(help: "Withdraw the text if it is not delivered within this many hours, 1 to 8760. Default: 720.")
    var expires: UInt64?
    @Flag(help: "Print one JSON object, and for a file one for each change.") var json = false

    /// The default number of hours after which a text is withdrawn.
    private static let defaultHours = Request.Send.defaultExpiry / 3600

    func validate() throws {
        guard (text == nil) != (file == nil) else { throw ValidationError("give a text, or --file PATH") }
        guard file != nil || !withinEpoch && !detach else {
            throw ValidationError("--within-epoch and --detach are for --file")
        }
        guard file == nil || wait == 0 && expires == nil else {
            throw ValidationError("--wait and --expires are only for texts")
        }
        guard wait <= 3600 else { throw ValidationError("--wait must be 0 to 3600, got \(wait)") }
        if let expires, !(1...8760).contains(expires) {
            throw ValidationError("--expires must be 1 to 8760, got \(expires)")
        }
    }

    func run() async throws {
        try await reporting(home: options.home) {
            if let file {
                return try await FileSending(
                    contact: contact, path: file, staysInEpoch: withinEpoch, isDetached: detach, asJSON: json
                ).carryOut(for: options)
            }
            let request = Request.Send(
                contact: contact, text: text ?? "", expires: (expires ?? Self.defaultHours) * 3600, wait: wait)
            // A node that is not running can store the text, but not deliver it.
            try await options.show(request, on: wait > 0 ? .runningNode : .vault, asJSON: json, words: \.line)
        }
    }
}

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
            try await options.show(
                Request.Messages(contact: with), on: .vault, asJSON: json, none: "No messages.\n", words: \.line)
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
            try await options.show(Request.Message(message: message), on: .vault, asJSON: json) {
                $0.line + $0.words
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
            for listed in try await options.facts(of: Request.Messages(contact: with), on: .vault)
            where listed.state == .unread {
                for message in try await options.facts(of: Request.Message(message: listed.message), on: .vault) {
                    guard writeFact(message, asJSON: json, otherwise: { $0.line + $0.words }) else { return }
                }
                _ = try await options.facts(of: Request.Acknowledge(message: listed.message), on: .vault)
                count += 1
            }
            if count == 0, !json { write("No unread messages.\n") }
        }
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
            _ = try await options.facts(of: Request.RemoveMessage(message: message), on: .vault)
            write("Removed.\n")
        }
    }
}

import ArgumentParser
import InklingAccess
import InklingTerminal

/// `inkling files`
struct FilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files",
        abstract: "List file transfers; accept, refuse or cancel one.",
        discussion: """
            A running node saves files only in the folder of inkling run --receive-files, and accepts them without \
            asking only up to --file-limit.

            Examples:
              $ inkling files list --home bob
              $ inkling files accept 3f2a9c01 --home bob
            """,
        subcommands: [ListFiles.self, AcceptFile.self, RefuseFile.self, CancelFile.self])
}

/// `inkling files list`
struct ListFiles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List file transfers to and from contacts, with those that ended since the node was started.",
        discussion: """
            Example:
              $ inkling files list --home bob
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.Files(), on: .runningNode, asJSON: json, words: \.line)
        }
    }
}

/// `inkling files accept`
struct AcceptFile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Accept a file that a contact offers.",
        discussion: """
            Example:
              $ inkling files accept 3f2a9c01 --home bob
            """)

    @OptionGroup var change: TransferChangeOptions

    func run() async throws { try await change.carryOut(.accept) }
}

/// `inkling files refuse`
struct RefuseFile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refuse",
        abstract: "Refuse a file that a contact offers.",
        discussion: """
            Example:
              $ inkling files refuse 3f2a9c01 --home bob
            """)

    @OptionGroup var change: TransferChangeOptions

    func run() async throws { try await change.carryOut(.refuse) }
}

/// `inkling files cancel`
struct CancelFile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a transfer in either direction, and remove the part received.",
        discussion: """
            Example:
              $ inkling files cancel 3f2a9c01 --home bob
            """)

    @OptionGroup var change: TransferChangeOptions

    func run() async throws { try await change.carryOut(.cancel) }
}

/// The transfer to change.
struct TransferChangeOptions: ParsableArguments {
    @Argument(help: "The id of the transfer, or at least 8 characters of it.") var transfer: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func carryOut(_ change: TransferChange) async throws {
        try await reporting(home: options.home) {
            let request = Request.ChangeFile(transfer: transfer, change: change)
            try await options.show(request, on: .runningNode, asJSON: json) { $0.sentence + "\n" }
        }
    }
}

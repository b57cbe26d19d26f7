import ArgumentParser
import InklingAccess
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling phone`
struct PhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone",
        abstract: "Let an Android phone without Inkling be noticed, by the Companion app of Home Assistant.",
        discussion: """
            Examples:
              $ inkling phone add "Ada's phone" --entity notify.mobile_app_pixel --output phone.yaml --home ada
              $ inkling phone renew "Ada's phone" --entity notify.mobile_app_pixel --output phone.yaml --home ada
            """,
        subcommands: [AddPhone.self, RenewPhone.self])
}

/// The options of the file for Home Assistant.
struct PhoneFileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The action of Home Assistant that sends notifications to the phone: notify.mobile_app_NAME.",
            valueName: "action"))
    var entity: NotifyEntity
    @Option(help: "Make a file for this many days, 1 to 90.") var days: UInt32 = 30
    @Option(help: "Write to this file, which only you can read. Default: standard output.") var output: String?
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "With --output, print one JSON object about the file.") var json = false

    func validate() throws {
        guard (1...PhoneTable.longest).contains(days) else {
            throw ValidationError("--days must be 1 to \(PhoneTable.longest), got \(days)")
        }
        guard !json || output != nil else { throw ValidationError("--json requires --output") }
    }

    /// Writes the automation and reports it. A file at `draft` then replaces `output`.
    ///
    /// - Throws: `Failure` when the file cannot be written.
    func write(
        _ table: PhoneTable, for options: HomeOptions, to file: NewFile, replacing draft: String? = nil
    ) throws(Failure) {
        let automation = PhoneAutomation(
            name: table.contact, entity: entity, profile: try homeProfile(in: try options.path()), first: table.first,
            minors: table.minors)
        file.write { $0 += automation.text.utf8 }
        try file.finish()
        if let draft, let output, unsafe rename(draft, output) != 0 {
            throw Failure(.inputOutput, "cannot replace \(output): \(systemMessage())")
        }
        writeError(
            """
            Anyone with this file can recognise \(printable(table.contact)) until \(timestamp(automation.end)). It contains no keys.
            The phone is only evidence, never confirmed: what it shows can be copied, and lags if Home Assistant's \
            messages do.

            """)
        guard let output, json else { return }
        let fact = PhoneFact(
            contact: table.contact, id: table.user, file: output, rows: table.minors.count,
            until: timestamp(automation.end))
        writeFact(fact, asJSON: true) { _ in "" }
    }
}

extension NotifyEntity: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

/// The file for Home Assistant that was written.
private struct PhoneFact: Encodable {
    let contact: String
    let id: String
    let file: String
    let rows: Int
    let until: String
}

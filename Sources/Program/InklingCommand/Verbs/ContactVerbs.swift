import ArgumentParser
import InklingAccess
import InklingNode
import InklingTerminal
import InklingVault

/// `inkling contacts`
struct Contacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contacts",
        abstract: "List, show, rename, delay, block, revoke or remove contacts, or renew what they hold.",
        discussion: """
            Example:
              $ inkling contacts list --home ada
            """,
        subcommands: [
            ListContacts.self, ShowContact.self, RenameContact.self, DelayContact.self, RemoveContact.self,
            RenewContacts.self, RevokeContact.self, BlockContact.self, UnblockContact.self, GrantContact.self,
        ])
}

/// `inkling contacts list`
struct ListContacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all contacts.",
        discussion: """
            Only a running node knows who is present; without one, every contact is unseen.

            Example:
              $ inkling contacts list --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object for each contact.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let none = "No contacts yet. Add one with: \(options.hint("invite"))\n"
            try await options.show(Request.Contacts(), on: .vault, asJSON: json, none: none) {
                $0.line(for: options)
            }
        }
    }
}

/// `inkling contacts show`
struct ShowContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one contact in detail.",
        discussion: """
            Example:
              $ inkling contacts show Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.Contact(contact: contact), on: .vault, asJSON: json, words: text)
        }
    }

    private func text(_ fact: ContactFact) -> String {
        let review = options.hint("recover --reviewed \(shellQuoted(fact.contact))")
        let backup = fact.restoredFrom.map { ", it is that of \($0)" } ?? ""
        return """
            name                \(printable(fact.contact))
            name on the card    \(printable(fact.cardName))
            id                  \(fact.id)
            devices             \(fact.devices.map { "\($0)" }.joined(separator: ", "))
            presence            \(fact.presence)\(fact.since.map { " since \($0)" } ?? "")
            delays              \(fact.delays.sentence)
            blocked             \(fact.blocked ? "yes" : "no")
            needs review        \(fact.needsReview ? "yes\(backup): \(review)" : "no")
            standing            \(fact.standing)
            met                 \(fact.met ? "yes" : "no, added by card")
            we recognise it     \(fact.recognisedUntil.map { "until \($0)" } ?? "no: no grant from this contact")
            it recognises us    \(fact.recognisesUsUntil.map { "until \($0)" } ?? "no: nothing was granted")

            """
    }
}

/// `inkling contacts rename`
struct RenameContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Give a contact a name of your own; an empty one restores the name on its card.",
        discussion: """
            Example:
              $ inkling contacts rename Bob 'Bob from work' --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Argument(help: "The new name, at most 64 bytes.") var name: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let request = Request.Rename(contact: contact, name: name)
            try await options.show(request, on: .vault, asJSON: json, words: \.line)
        }
    }
}

/// `inkling contacts delay`
struct DelayContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delay", abstract: "Show or set when a contact counts as arrived and as left.",
        discussion: """
            delay      counts from                               range          default
            --arrive   when the contact is first confirmed       0 to 86400 s   0
            --leave    when it was last heard                    30 to 86400 s  120 s
            --goodbye  when it said goodbye, as a node does      30 to 86400 s  --leave if given,
                       that stops or becomes invisible                          else 30 s

            A duration is a number of seconds, or a number with s, m or h: 90, 90s, 5m, 1h. Delays that are not given \
            stay unchanged. A node that runs uses the new delays at once; later runs do too. They override \
            --arrive-after and --leave-after of inkling run, which are for contacts without a delay of their own.

            A longer --leave keeps a phone that is often silent from leaving and arriving again and again.

            Examples:
              $ inkling contacts delay Bob --leave 10m --home ada
              $ inkling contacts delay Bob --arrive 20s --goodbye 2m --home ada
              $ inkling contacts delay Bob --default --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Option(help: ArgumentHelp("Report the contact as arrived after this time of presence.", valueName: "duration"))
    var arrive: DelayWord?
    @Option(
        help: ArgumentHelp("Report the contact as left this long after it was last heard.", valueName: "duration"))
    var leave: DelayWord?
    @Option(
        help: ArgumentHelp(
            "Report the contact as left this long after it said goodbye.", valueName: "duration"))
    var goodbye: DelayWord?
    @Flag(name: .customLong("default"), help: "Reset the delays that are not given to the default.")
    var usesDefault = false
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
        for (name, delay, range) in [
            ("--arrive", arrive, ContactDelays.arrivals), ("--leave", leave, ContactDelays.departures),
            ("--goodbye", goodbye, ContactDelays.departures),
        ] {
            guard let delay, !range.contains(delay.seconds) else { continue }
            throw ValidationError(
                "\(name) must be \(range.lowerBound) to \(range.upperBound) seconds, got \(delay.seconds)")
        }
    }

    func run() async throws {
        try await reporting(home: options.home) {
            let request = Request.Delay(
                contact: contact, arrive: arrive?.seconds, leave: leave?.seconds, goodbye: goodbye?.seconds,
                isReset: usesDefault ? true : nil)
            try await options.show(request, on: .vault, asJSON: json) {
                "\(printable($0.contact)) \($0.delays.sentence).\n"
            }
        }
    }
}

/// A delay as a person writes it: `90`, `90s`, `5m`, `1h`.
struct DelayWord: ExpressibleByArgument, Hashable {
    let seconds: UInt32

    /// Parses a delay; nil for any other text and for one of more than `UInt32.max` seconds.
    init?(argument: String) {
        let units: [Character: UInt32] = ["s": 1, "m": 60, "h": 3600]
        let unit = argument.last.flatMap { units[$0] }
        let digits = unit == nil ? argument[...] : argument.dropLast()
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(digits) else {
            return nil
        }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow else { return nil }
        self.seconds = seconds
    }
}

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
            for removal in try await options.facts(of: Request.Remove(contact: contact), on: .vault) {
                writeFact(removal, asJSON: json) { $0.text(for: options) }
                guard !removal.audiences.isEmpty, renew || !json && isTerminal(0) && asks("End that now? [y/n] ") else {
                    continue
                }
                _ = try await options.facts(
                    of: Request.Renew(audiences: removal.audiences), on: .acceptedTime, trustsClock: trustClock)
                if !json { write("\(printable(removal.removed)) recognises this node no longer.\n") }
            }
        }
    }
}

/// `inkling contacts renew`
struct RenewContacts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew",
        abstract: "Start a new generation, so that nobody can recognise you by earlier grants.",
        discussion: """
            Every member of the audience needs a new grant then. Those that this node recognises receive it at the next \
            meeting, the others on a common network, by an invitation, or by a sealed grant (inkling contacts grant).

            Examples:
              $ inkling contacts renew --home ada
              $ inkling contacts renew --audience friends --home ada
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "Renew only this audience; can be repeated.") var audience: [String] = []
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false

    func run() async throws {
        try await reporting(home: options.home) {
            _ = try await options.facts(
                of: Request.Renew(audiences: audience), on: .acceptedTime, trustsClock: trustClock)
            let which = audience.isEmpty ? "" : " of \(audience.map(printable).joined(separator: ", "))"
            write("Nobody can recognise this node by earlier grants\(which) any more.\n")
        }
    }
}

/// `inkling contacts revoke`
struct RevokeContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take back what a contact can do, in four levels.",
        discussion: """
            level        what                                     takes effect
            R1 (block)   no session, no answer, no invitation     at once
            R2 (lapse)   its grants are not renewed               when they end
            R3 (blind)   R1, and new keys for the audiences       at once, after a
                         that it holds: it recognises nothing     silent gap of seconds
            R4 (device)  one lost device of the contact gets no   at once, after a
                         answer, and new keys as for R3           silent gap of seconds

            R1 and R2 leave the contact's grants valid: it can recognise you until they expire; 'inkling audience who' \
            shows when. After R3 and R4 the other members of the audiences recognise nothing either until they have a \
            new grant; the command says how many, and how they get it. R1 and R3 are undone by 'inkling contacts \
            unblock', R2 by 'inkling contacts grant'. A lost device of your own is revoked with 'inkling device \
            remove'.

            Examples:
              $ inkling contacts revoke Bob --level R3 --home ada
              $ inkling contacts revoke Bob --level R4 --device 1 --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @Option(help: "R1, R2, R3 or R4, or block, lapse, blind or device.") var level: RevocationWord
    @Option(help: "The number of the contact's device, for R4.") var device: UInt8?
    @OptionGroup var options: HomeOptions
    @Flag(name: .shortAndLong, help: "Do it without asking.") var yes = false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print one JSON object: what was done.") var json = false

    func validate() throws {
        guard (level.level == .device) == (device != nil) else {
            throw ValidationError("give --device NUMBER with level R4, and with no other")
        }
    }

    func run() async throws {
        try await reporting(home: options.home) {
            if !yes {
                guard isTerminal(0) else {
                    throw Failure(
                        .usage, "standard input is not a terminal, so nobody can confirm it",
                        remedy: "Add --yes to do it without asking.")
                }
                for fact in try await facts(isTrial: true) { writeError(fact.text(for: options)) }
                guard asks("Do it? [y/n] ", aside: true) else { throw Failure(.finding, "nothing was changed") }
            }
            for fact in try await facts(isTrial: false) {
                writeFact(fact, asJSON: json) { $0.text(for: options) }
            }
        }
    }

    private func facts(isTrial: Bool) async throws(Failure) -> [RevocationFact] {
        let request = Request.Revoke(contact: contact, level: level.level, device: device, trial: isTrial)
        let needsTime = !isTrial && (level.level == .blind || level.level == .device)
        return try await options.facts(
            of: request, on: needsTime ? .acceptedTime : .vault, trustsClock: trustClock)
    }
}

/// A level of revocation as a person writes it: its number or its word.
struct RevocationWord: ExpressibleByArgument {
    let level: RevocationLevel

    init?(argument: String) {
        let wanted = argument.lowercased()
        let found = RevocationLevel.allCases.first { $0.rawValue.lowercased() == wanted || $0.word == wanted }
        guard let found else { return nil }
        level = found
    }

    static var allValueStrings: [String] { RevocationLevel.allCases.flatMap { [$0.rawValue, $0.word] } }
}

extension RevocationLevel {
    fileprivate var word: String {
        switch self {
        case .block: "block"
        case .lapse: "lapse"
        case .blind: "blind"
        case .device: "device"
        }
    }
}

/// `inkling contacts block`
struct BlockContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "Block a contact: no session, no answer, no invitation, until it is unblocked.",
        discussion: """
            This is level R1 of 'inkling contacts revoke'. The contact can recognise you until its grants expire; \
            level R3 ends that, too.

            Example:
              $ inkling contacts block Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.Block(contact: contact), on: .vault, asJSON: json) {
                $0.line(for: options)
            }
        }
    }
}

/// `inkling contacts unblock`
struct UnblockContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock", abstract: "Unblock a contact.",
        discussion: """
            Example:
              $ inkling contacts unblock Bob --home ada
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            try await options.show(Request.Unblock(contact: contact), on: .vault, asJSON: json) {
                $0.line(for: options)
            }
        }
    }
}

/// `inkling contacts grant`
struct GrantContact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Print sealed grants for a contact, and renew its grants from now on.",
        discussion: """
            A sealed grant lets a contact recognise you again without a meeting, for example after new generations. \
            Only the contact can open it, so it can be sent over any channel; the contact accepts it with inkling card \
            add.

            Example:
              $ inkling contacts grant Bob --home ada > grants.txt
            """)

    @Argument(help: "The contact's name, or at least 8 characters of its id.") var contact: String
    @OptionGroup var options: HomeOptions
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print one JSON object for each sealed grant.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let request = Request.Grant(contact: contact)
            try await options.show(request, on: .acceptedTime, trustsClock: trustClock, asJSON: json) {
                $0.sealedGrant + "\n"
            }
        }
    }
}

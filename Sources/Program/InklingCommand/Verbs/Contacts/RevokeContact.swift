import ArgumentParser
import InklingNode
import InklingTerminal

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
        let request = ControlRequest.revoke(contact: contact, level: level.level, device: device, isTrial: isTrial)
        let needsTime = !isTrial && (level.level == .blind || level.level == .device)
        return try await NodeRequest(
            options: options, request: request, place: .vault, trustsClock: trustClock, needsAcceptedTime: needsTime
        ).facts().compactMap { fact in
            if case .revocation(let revocation) = fact { revocation } else { nil }
        }
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

import ArgumentParser
import InklingAccess
import InklingJSON
import InklingKeys
import InklingTerminal

/// `inkling invite`
struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Show a one-time invitation and become contacts with the person who accepts it.",
        discussion: """
            Anyone who reads the invitation can use it, once, so compare name and fingerprint with the other person \
            before you answer y. Both devices must be on one local network, or both run `inkling run` with Bluetooth \
            that carries links. While the invitation is open, contacts do not see this device by radio. On a network \
            without multicast, the other person adds --at HOST:PORT with this machine's address and the port shown \
            here; the port changes at the end of an epoch, and the new one is shown.

            Examples:
              $ inkling invite --home ada
              $ inkling invite --home ada --minutes 2 --yes --json
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "Let the invitation expire after 1 to 10 minutes.") var minutes: UInt64 = 10
    @Flag(help: "Agree without comparing. Use this only where no attacker can interfere.") var yes = false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print JSON objects: the invitation, its later ports, the question, then the contact.") var json = false

    func validate() throws {
        guard (1...10).contains(minutes) else { throw ValidationError("--minutes must be 1 to 10, got \(minutes)") }
    }

    func run() async throws {
        try await reporting(home: options.home, showsCode: json) {
            try await options.carryOut(
                Request.Invite(minutes: minutes), on: .network, trustsClock: trustClock,
                question: { agree(to: $0, always: yes, json: json) }
            ) { news in
                show(news, member: "invitation", minutes: minutes, asJSON: json) {
                    $0.firstContactText(for: options)
                }
            }
        }
    }
}

/// Shows the course of an invitation or a device link; `words` are those for its outcome.
func show<Outcome>(
    _ news: InvitationNews<Outcome>, member: String, minutes: UInt64, asJSON json: Bool, words: (Outcome) -> String
) {
    switch news {
    case .opened(let invitation):
        guard let text = invitation.secret else { return }
        writeInvitation(invitation, text.value, member: member, minutes: minutes, asJSON: json)
    case .port(let port): writeFact(port, asJSON: json, otherwise: \.line)
    case .warning(let warning): writeFact(warning, asJSON: json, otherwise: \.line)
    case .agreed(let outcome): writeFact(outcome, asJSON: json, otherwise: words)
    }
}

/// Shows an invitation or a device link: its text as the member `member` of a JSON object, or as a QR code and a line.
private func writeInvitation(
    _ invitation: InvitationFact, _ text: borrowing SecretBytes, member: String, minutes: UInt64, asJSON json: Bool
) {
    if !json { showQRCode(of: text) }
    var lines = SecretWriter()
    if json {
        // The text needs no escapes.
        for byte in "{\"\(member)\":\"".utf8 { lines.append(u8: byte) }
        text.withBytes { lines.append($0) }
        lines.append("\",")
        for byte in JSON(encoding: invitation).compact.utf8.dropFirst() { lines.append(u8: byte) }
        lines.append("\n")
    } else {
        text.withBytes { lines.append($0) }
        let waiting = "Waiting \(plural(minutes, "minute")) for the other side, on port \(invitation.port)."
        for byte in "\n\(waiting)\n".utf8 { lines.append(u8: byte) }
    }
    write(lines.finish())
}

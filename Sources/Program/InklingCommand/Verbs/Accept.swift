import ArgumentParser
import InklingAccess
import InklingKeys
import InklingTerminal

/// `inkling accept`
struct Accept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Accept an invitation and become contacts with the person who showed it.",
        discussion: """
            Compare name and fingerprint with the other person before you answer y. The command searches for the \
            inviter on the local network, and over Bluetooth if the node runs with links.

            Examples:
              $ inkling accept INKLING:I:… --home bob
              $ inkling accept - --at 192.0.2.7:40123 < invitation
            """)

    @Argument(help: "The text of the invitation, in one piece or several; - reads it from standard input.")
    var invitation: [String]
    @Option(help: "Connect to the inviter at HOST:PORT, on a network without multicast.") var at: String?
    @OptionGroup var options: HomeOptions
    @Flag(help: "Agree without comparing. Use this only where no attacker can interfere.") var yes = false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print JSON objects: the question, then the contact.") var json = false

    func run() async throws {
        try await reporting(home: options.home, showsCode: json) {
            let request = Request.Accept(address: at, secret: SecretBox(try objectText(invitation)))
            try await options.carryOut(
                request, on: .network, trustsClock: trustClock, question: { agree(to: $0, always: yes, json: json) }
            ) { contact in
                writeFact(contact, asJSON: json) { $0.firstContactText(for: options) }
            }
        }
    }
}

import ArgumentParser
import InklingJSON

/// `inkling accept`
struct Accept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Use an invitation, and become contacts with whoever showed it.",
        discussion: """
            Compare name and fingerprint with the other person before you say yes.

            Examples:
              $ inkling accept INKLING:I:… --home bob
              $ inkling accept - --at 192.0.2.7:40123 < invitation
            """)

    @Argument(help: "The text of the invitation; - reads it from standard input.") var invitation: String
    @Option(help: "Where the inviter is, HOST:PORT, on networks without multicast.") var at: String?
    @OptionGroup var options: HomeOptions
    @Flag(help: "Agree to whoever answers. Only for machines that no attacker can reach.") var yes = false
    @Flag(help: "Believe this machine's clock although nothing synchronises it.") var trustClock = false
    @Flag(help: "Print JSON objects: the question, the contact.") var json = false

    func run() async throws {
        try await reporting {
            var request: JSONObject = ["do": "accept", "text": .text(try textArgument(invitation))]
            request["at"] = at.map(JSON.text)
            let call = NodeRequest(options: options, request: request, place: .network, trustsClock: trustClock)
            try await call.perform(
                fact: { fact in
                    write(fact, asJSON: json) { "You are contacts now:\n" + contactLine($0) }
                },
                question: { agree(to: $0, always: yes, json: json) })
        }
    }
}

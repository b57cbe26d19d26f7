import ArgumentParser
import InklingJSON

/// `inkling invite`
struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a one-time invitation, and become contacts with whoever uses it.",
        discussion: """
            Whoever reads the invitation can use it, once: compare name and fingerprint with the other person \
            before you say yes. Both devices must be on one local network; on a network without multicast the other \
            side adds --at HOST:PORT, with this machine's address and the port shown here.

            Examples:
              $ inkling invite --home ada
              $ inkling invite --home ada --minutes 2 --yes --json
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "How long the invitation lives, 1 to 10 minutes.") var minutes: UInt64 = 10
    @Flag(help: "Agree to whoever comes. Only for machines that no attacker can reach.") var yes = false
    @Flag(help: "Believe this machine's clock although nothing synchronises it.") var trustClock = false
    @Flag(help: "Print JSON objects: the invitation, the question, the contact.") var json = false

    func validate() throws {
        guard (1...10).contains(minutes) else { throw ValidationError("--minutes must be 1 to 10, got \(minutes)") }
    }

    func run() async throws {
        try await reporting {
            let request: JSONObject = ["do": "invite", "minutes": .integer(minutes)]
            let call = NodeRequest(options: options, request: request, place: .network, trustsClock: trustClock)
            try await call.perform(
                fact: { fact in show(fact) }, question: { agree(to: $0, always: yes, json: json) })
        }
    }

    private func show(_ fact: JSONObject) {
        if !json, let text = fact["invitation"]?.text { showQRCode(of: text) }
        write(fact, asJSON: json) { fact in
            guard let text = fact["invitation"]?.text else { return "You are contacts now:\n" + contactLine(fact) }
            let time = minutes == 1 ? "1 minute" : "\(minutes) minutes"
            return "\(text)\nWaiting \(time) for the other side, on port \(fact["port"]?.integer ?? 0).\n"
        }
    }
}

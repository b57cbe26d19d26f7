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
              $ inkling invite --minutes 2 --yes --json
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
        guard !json else { return write(JSON.object(fact).compact + "\n") }
        if let text = fact["invitation"]?.text {
            showQRCode(of: text)
            write(
                "\(text)\nWaiting for the other side, \(minutes) minutes at most; port \(fact["port"]?.integer ?? 0).\n"
            )
        } else {
            write("You are contacts now:\n" + contactLine(fact))
        }
    }
}

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
                    write(json ? JSON.object(fact).compact + "\n" : "You are contacts now:\n" + contactLine(fact))
                },
                question: { agree(to: $0, always: yes, json: json) })
        }
    }
}

/// Shows who came to the person at the terminal, who says yes or no.
func agree(to question: JSONObject, always: Bool, json: Bool) -> Bool {
    let name = printable(question["name"]?.text ?? "")
    if json {
        write(JSON.object(["question": .object(question)]).compact + "\n")
    } else {
        let known = question["known"]?.flag == true ? " (a contact already)" : ""
        write("Name         \(name)\(known)\nFingerprint  \(question["fingerprint"]?.text ?? "")\n")
    }
    if always { return true }
    guard isTerminal(0) else {
        writeError("inkling: nobody is here to compare the fingerprint; declined (say --yes to agree unseen)\n")
        return false
    }
    write("Does the other person see the same? [y/N] ")
    let answer = readLine() ?? ""
    return ["y", "yes"].contains(answer.lowercased())
}

import ArgumentParser
import InklingKeys
import InklingTerminal

/// `inkling device add`
struct AddDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Show a one-time device link to another device of yours.",
        discussion: """
            On the other device, run `inkling device join` with the text. Compare the fingerprint on both before you \
            answer y: the new device then gets your contacts, and the keys with which you recognise each other from \
            now on. Both devices must be on one local network; without multicast, the other one adds --at HOST:PORT. \
            To update a device's contacts and keys, remove it and link it again.

            Examples:
              $ inkling device add --home ada
              $ inkling device add --home ada --minutes 2 --json
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "Let the device link expire after 1 to 10 minutes.") var minutes: UInt64 = 10
    @Flag(help: "Agree without comparing. Use this only where no attacker can interfere.") var yes = false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print JSON objects: the device link, its later ports, the question, then the device.") var json = false

    func validate() throws {
        guard (1...10).contains(minutes) else { throw ValidationError("--minutes must be 1 to 10, got \(minutes)") }
    }

    func run() async throws {
        try await reporting(home: options.home, showsCode: json) {
            let request = ControlRequest.addDevice(minutes: minutes)
            let call = NodeRequest(options: options, request: request, place: .network, trustsClock: trustClock)
            try await call.perform(
                fact: { fact in
                    switch fact {
                    case .invitation(let invitation, .some(let text)):
                        writeInvitation(invitation, text.value, member: "deviceLink", minutes: minutes, asJSON: json)
                    case .port(let port): writeFact(port, asJSON: json) { $0.line }
                    case .device(let device): writeFact(device, asJSON: json) { "Linked " + $0.line }
                    default: break
                    }
                }, question: { agree(to: $0, always: yes, json: json) })
        }
    }
}

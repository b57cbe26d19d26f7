import ArgumentParser
import Dispatch
import FoundationEssentials
import InklingJSON
import InklingKeys
import InklingNode

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling run`
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the node: show yourself to your contacts and notice them, until Ctrl-C.",
        discussion: """
            Other commands for the same home talk to the running node.

            Examples:
              $ inkling run --home ada
              $ inkling run --home ada --json | jq .
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Emit nothing: neither show yourself nor look for others.") var invisible = false
    @Flag(help: "Believe this machine's clock although nothing synchronises it.") var trustClock = false
    @Flag(help: "The vault was made for a demonstration clock; run with that.") var demoClock = false
    @Flag(help: "Print one JSON object for each event.") var json = false

    func run() async throws {
        try await reporting { try await runNode() }
    }

    private func runNode() async throws(Failure) {
        #if Node
            let opened = try await OpenedNode(
                options, isVisible: !invisible, trustsClock: trustClock, acceleratedClock: demoClock)
            let server = try await ControlServer(home: opened.home, node: opened.node)
            let signals = stopOnSignals(opened.node)
            defer { for signal in signals { signal.cancel() } }
            if demoClock && !json { write("This is a demonstration: its clock runs faster than real time.\n") }
            let serving = Task { await server.run() }
            let events = opened.node.events
            let telling = Task { await report(events, of: opened.node) }
            await opened.node.run()
            serving.cancel()
            await serving.value
            // Ends by itself, with the node's last event.
            await telling.value
        #else
            try requireNetwork()
        #endif
    }

    private func stopOnSignals(_ node: Node) -> [any DispatchSourceSignal] {
        // Whoever read our events may have gone, which `report` notices.
        signal(SIGPIPE, SIG_IGN)
        return [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { node.stop() }
            source.resume()
            return source
        }
    }

    private func report(_ events: NodeStream<NodeEvent>, of node: Node) async {
        var names: [UserID: String] = [:]
        for await event in events {
            for contact in await node.contacts() { names[contact.user] = contact.name }
            var facts = event.facts { names[$0] ?? "a former contact" }
            let now = Date.now
            let time = now.formatted(.iso8601)
            facts["time"] = .text(time)
            facts["unixMilliseconds"] = .integer(UInt64(now.timeIntervalSince1970 * 1000))
            guard write(json ? JSON.object(facts).compact + "\n" : "\(time)  \(Self.sentence(facts))\n") else {
                return node.stop()
            }
        }
    }

    private static func sentence(_ facts: JSONObject) -> String {
        let contact = printable(facts["contact"]?.text ?? "")
        switch facts["event"]?.text {
        case "visible": return "visible in epoch \(facts["epoch"]?.integer ?? 0)"
        case "silent": return "silent: \(facts["reason"]?.text ?? "")"
        case "presence": return "\(contact): \(facts["presence"]?.text ?? "")"
        case "arrived": return "\(contact) has arrived"
        case "left": return "\(contact) has left"
        case "plan":
            guard let transport = facts["transport"]?.text, let time = facts["completes"]?.integer else {
                return "\(contact): no transport can be used now"
            }
            return "\(contact): by \(transport), expected within \(time) ms"
        case "confirmed":
            let taken = facts["milliseconds"]?.integer.map { " after \($0) ms" } ?? " (called us)"
            return "\(contact): handshake\(taken)"
        case "replay-suspected": return "\(contact): its name was shown at a wrong time; ignored"
        case "renewed": return "\(contact): card or grant renewed"
        case "message": return "\(contact) says: \(printable(facts["text"]?.text ?? ""))"
        default: return (contact.isEmpty ? "" : "\(contact): ") + (facts["what"]?.text ?? "")
        }
    }
}

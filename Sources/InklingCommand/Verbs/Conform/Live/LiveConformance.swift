import ArgumentParser
import InklingConformance
import InklingEngine
import InklingJSON
import InklingKeys
import InklingLinux
import InklingNode

/// `inkling conform live`
struct LiveConformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Look at a running node on the network, as a stranger and as a contact, and report.",
        discussion: """
            As a stranger it reads the records, connects, and is told nothing. With an invitation of the node under \
            test, or the home of a node that is its contact and does not run, it also predicts, calls, and repeats its \
            own first message. Unless told otherwise it waits for the end of the epoch, up to 15 minutes.

            Ends with 0 when every check that was made is passed, 1 when one is not, 2 with --strict when one could \
            not be made, 69 when no node is found. A connection of a live run looks like an attack: ask the owner.

            Examples:
              $ inkling conform live
              $ inkling conform live --accept INKLING:I:… --html report.html
              $ inkling conform live --home bob --contact Ada --json
              $ inkling conform live --address 192.0.2.7:40123 --max-wait 0
            """)

    @Option(
        help: ArgumentHelp("An invitation of the node under test; - reads it from standard input.", valueName: "text"))
    var accept: String?
    @Flag(help: "With --accept: agree to whoever answers, without comparing fingerprints.") var yes = false
    @OptionGroup var options: HomeOptions
    @Option(help: ArgumentHelp("With --home: which contact the node under test is.", valueName: "name"))
    var contact: String?
    @Option(help: "The instance name of the node under test, when several are there.") var node: String?
    @Option(help: ArgumentHelp("Where the node under test is.", valueName: "host:port")) var address: String?
    @Option(help: ArgumentHelp("The network interface; without it, every one that can multicast.", valueName: "name"))
    var interface: String?
    @Option(help: ArgumentHelp("The node under test has this demonstration clock.", valueName: "rate@seconds"))
    var demoClock: String?
    @Flag(help: "Believe this machine's clock although nothing synchronises it.") var trustClock = false
    @Option(help: ArgumentHelp("How long the node is searched for: 1 to 3600.", valueName: "seconds")) var search = 30
    @Option(
        help: ArgumentHelp(
            "How long the end of an epoch may be waited for: 0 to 3600; an epoch lasts 900.", valueName: "seconds"))
    var maxWait = 900
    @Option(
        help: ArgumentHelp(
            "How far the end of a connection may be from the 5 s of the specification, and from another one's: 1 to 4000.",
            valueName: "ms"))
    var tolerance = 500
    @Option(
        help: ArgumentHelp(
            "How far the clocks of the two machines may be apart, when no handshake tells: 0 to 10000.",
            valueName: "ms"))
    var clockError = 1000
    @Flag(help: "List the checks and look at nothing.") var list = false
    @Flag(help: "End with 2 when every check that was made is passed, but one could not be made.") var strict = false
    @Option(help: "What the report calls the implementation.") var name: String?
    @Flag(help: "Print one JSON object a line, one for each check.") var json = false
    @Option(help: ArgumentHelp("Also write a report as JUnit XML.", valueName: "file")) var junit: String?
    @Option(help: ArgumentHelp("Also write a report as Markdown.", valueName: "file")) var markdown: String?
    @Option(help: ArgumentHelp("Also write a report as one HTML page.", valueName: "file")) var html: String?

    func validate() throws {
        guard accept == nil || options.home == nil else { throw ValidationError("Give --accept or --home, not both.") }
        guard contact == nil || options.home != nil else { throw ValidationError("--contact goes with --home.") }
        guard demoClock == nil || options.home == nil else {
            throw ValidationError("--demo-clock goes without --home: a vault has its own clock.")
        }
        guard !yes || accept != nil else { throw ValidationError("--yes goes with --accept.") }
        guard (1...3600).contains(search) else { throw ValidationError("A search lasts 1 to 3600 seconds.") }
        guard (0...3600).contains(maxWait) else { throw ValidationError("A wait lasts 0 to 3600 seconds.") }
        guard (1...4000).contains(tolerance) else { throw ValidationError("A tolerance is 1 to 4000 ms.") }
        guard (0...10_000).contains(clockError) else { throw ValidationError("A clock error is 0 to 10000 ms.") }
    }

    func run() async throws {
        try await reporting {
            if list { return showList() }
            try requireNetwork()
            let report = try await look()
            if json {
                write(JSON.object(ReportLines.end(report)).compact + "\n")
            } else {
                write(printable(lines: report.tree(shown: LiveCheck.all.count)))
            }
            if let junit { try writeFile(junit, report.junit) }
            if let markdown { try writeFile(markdown, report.markdown(shown: LiveCheck.all.count)) }
            if let html { try writeFile(html, report.html(shown: LiveCheck.all.count)) }
            switch report.verdict {
            case .conforms: return
            case .partial where !strict: return
            case .partial: throw ExitCode(2)
            case .differs: throw ExitCode(Failure.Status.finding.rawValue)
            }
        }
    }

    private func showList() {
        for check in LiveCheck.all {
            let facts: JSONObject = [
                "id": .text(check.id), "part": .text(check.part.rawValue), "needs": .text(check.need.rawValue),
                "requirements": .list(check.requirements.map(JSON.text)), "comment": .text(check.sentence),
            ]
            let line =
                json
                ? JSON.object(facts).compact
                : "\(check.id)  \(check.requirements.joined(separator: " "))  \(check.sentence) (needs \(check.need.rawValue))"
            guard write(line + "\n") else { return }
        }
    }

    private func look() async throws(Failure) -> ConformanceReport {
        var clock = try demoClock.map { text throws(Failure) in try VaultClock(demonstration: text) } ?? .real
        let endpoint = try InklingCommand.endpoint(address)
        var known: LiveContact?
        if options.home != nil {
            let home = try await openHome()
            clock = home.clock
            known = try LiveContact(home.contents, named: contact, now: period(clock))
        }
        let sockets = try LiveSockets(interface: interface)
        if let accept {
            known = try LiveContact(try await becomeContact(accept, clock), named: nil, now: period(clock))
        }
        let implementation = name ?? known.map { "the node of \($0.person)" } ?? address ?? node ?? "a running node"
        if json {
            write(
                JSON.object(ReportLines.start(implementation: implementation, caseCount: LiveCheck.all.count)).compact
                    + "\n")
        }
        let run = LiveRun(
            LiveRun.Settings(
                interface: interface, node: node, address: endpoint, search: Int64(search), maximumWait: Int64(maxWait),
                clockError: Int64(clockError), tolerance: Int64(tolerance), clock: clock),
            contact: known, sockets: sockets, progress: LiveProgress())
        let report = ConformanceReport(implementation: implementation, live: try run.verdictsOfRun())
        if json { for entry in report.entries { write(JSON.object(ReportLines.line(entry)).compact + "\n") } }
        return report
    }

    private func period(_ clock: VaultClock) throws(Failure) -> Period {
        guard let period = Epoch(containing: SystemClock(clock).read().unixSeconds)?.period else {
            throw Failure(.configuration, "the clock shows a time after August 2089", remedy: "Set the clock.")
        }
        return period
    }

    /// What the vault of a home holds. Nothing in it is changed.
    private func openHome() async throws(Failure) -> (contents: VaultContents, clock: VaultClock) {
        let file = VaultFile(home: try options.path())
        let header = try vaultFailure { () throws(VaultError) in try file.header() }
        let key = try options.key(for: header)
        let vault = try vaultFailure { () throws(VaultError) in
            try file.open(with: key, acceleratedClock: header.clock.isAccelerated)
        }
        return (await VaultKeeper(vault).contents, header.clock)
    }

    /// Becomes a contact by an invitation, with an identity that lives no longer than this run.
    private func becomeContact(_ text: String, _ clock: VaultClock) async throws(Failure) -> VaultContents {
        var generator = SystemRandomNumberGenerator()
        let now = try period(clock)
        var contents: VaultContents
        do throws(CardError) {
            contents = try NodeIdentity.begin(name: "inkling conform live", now: now, using: &generator)
        } catch {
            throw Failure(.configuration, "no identity could be made: \(error.reason)")
        }
        if trustClock || clock.isAccelerated { contents.vouches.insert(.clock) }
        let keeper = PassingContents(contents)
        guard let node = Node(contents: contents, keeper: keeper, ports: .linux(clock: clock), isVisible: false) else {
            throw Failure(.configuration, "no device key could be made")
        }
        let request = ControlRequest.accept(text: try objectText([text]), address: address)
        let peer = LocalPeer(fact: { _ in }, question: { agree(to: $0, always: yes, json: json, aside: true) })
        let running = Task { await node.run() }
        await node.started()
        let outcome: Failure?
        do throws(Failure) {
            try await ControlHandler(node: node).handle(request, for: peer)
            outcome = nil
        } catch {
            outcome = error
        }
        node.stop()
        await running.value
        if let outcome { throw outcome }
        return await keeper.contents
    }

    private func printable(lines text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { InklingCommand.printable(String($0)) }
            .joined(separator: "\n")
    }
}

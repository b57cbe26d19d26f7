import ArgumentParser
import InklingAccess
import InklingConformance
import InklingEngine
import InklingJSON
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling-kit conform live`
struct LiveConformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Test a running node over the network, as a stranger and as a contact, and report.",
        discussion: """
            As a stranger, the run reads the records of the node and connects to it; the node must reveal nothing. With \
            an invitation of the node, or the home of a contact whose own node is stopped, the run also predicts names, \
            opens a session and replays its own first message. It waits for the end of the epoch, at most 15 minutes or \
            --max-wait.

            Exits with 0 when every check that could be made passed, 1 when a check failed, 2 when a check could not be \
            made and --strict is given, 69 when no node is found. To the node a live run looks like an attack: ask its \
            owner first.

            Examples:
              $ inkling-kit conform live
              $ inkling-kit conform live --accept INKLING:I:… --html report.html
              $ inkling-kit conform live --home bob --contact Ada --json
              $ inkling-kit conform live --address 192.0.2.7:40123 --max-wait 0
            """)

    @Option(
        help: ArgumentHelp(
            "Accept this invitation of the node under test; - reads it from standard input.", valueName: "text"))
    var accept: String?
    @Flag(help: "With --accept: agree without comparing fingerprints.") var yes = false
    @Option(
        help: ArgumentHelp(
            "With --accept: withhold this message of the first contact, and check what the node sends: accept, hello, grant.",
            valueName: "message"))
    var withhold: String?
    @OptionGroup var options: HomeOptions
    @Option(help: ArgumentHelp("With --home: test the node of this contact.", valueName: "name"))
    var contact: String?
    @Option(help: "Test the node with this instance name, when there are several.") var node: String?
    @Option(help: ArgumentHelp("Test the node at this address.", valueName: "host:port")) var address: String?
    @Option(help: ArgumentHelp("Use this network interface. Default: all that support multicast.", valueName: "name"))
    var interface: String?
    @Option(help: ArgumentHelp("Use the demonstration clock of the node under test.", valueName: "rate@seconds"))
    var demoClock: String?
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Option(help: ArgumentHelp("Search for the node for this long, 1 to 3600.", valueName: "seconds")) var search = 30
    @Option(
        help: ArgumentHelp(
            "Wait at most this long for the end of an epoch, 0 to 3600. An epoch lasts 900 s.", valueName: "seconds"))
    var maxWait = 900
    @Option(
        help: ArgumentHelp(
            "Allow this difference between the time at which a connection ends and the specified time, 1 to 4000.",
            valueName: "ms"))
    var tolerance = 500
    @Option(
        help: ArgumentHelp(
            "Allow this difference between the clocks of the two machines, 0 to 10000, unless a handshake measures it.",
            valueName: "ms"))
    var clockError = 1000
    @Flag(help: "List the checks, then exit.") var list = false
    @Flag(help: "Exit with 2 when no check failed but one could not be made.") var strict = false
    @Option(help: "Name the implementation in the report.") var name: String?
    @Flag(help: "Print one JSON object per line, one for each check.") var json = false
    @Option(help: ArgumentHelp("Also write a report as JUnit XML.", valueName: "file")) var junit: String?
    @Option(help: ArgumentHelp("Also write a report as Markdown.", valueName: "file")) var markdown: String?
    @Option(help: ArgumentHelp("Also write a report as one HTML page.", valueName: "file")) var html: String?

    func validate() throws {
        guard accept == nil || options.home == nil else {
            throw ValidationError("--accept cannot be combined with --home")
        }
        guard contact == nil || options.home != nil else { throw ValidationError("--contact requires --home") }
        guard demoClock == nil || options.home == nil else {
            throw ValidationError("--demo-clock cannot be combined with --home: the vault has its own clock")
        }
        guard !yes || accept != nil else { throw ValidationError("--yes requires --accept") }
        if let withhold {
            guard accept != nil else { throw ValidationError("--withhold requires --accept") }
            guard WithheldMessage(rawValue: withhold) != nil else {
                throw ValidationError("--withhold must be accept, hello or grant, got '\(withhold)'")
            }
        }
        try require("--search", search, in: 1...3600)
        try require("--max-wait", maxWait, in: 0...3600)
        try require("--tolerance", tolerance, in: 1...4000)
        try require("--clock-error", clockError, in: 0...10_000)
    }

    func run() async throws {
        try await reporting {
            if list { return showList() }
            try requireNetwork()
            let report = try await look()
            if json {
                write(JSON.object(ReportLines.end(report)).compact + "\n")
            } else {
                write(printable(lines: report.tree(shown: checks.count)))
            }
            if let junit { try writeFile(junit, report.junit) }
            if let markdown { try writeFile(markdown, report.markdown(shown: checks.count)) }
            if let html { try writeFile(html, report.html(shown: checks.count)) }
            switch report.verdict {
            case .conforms: return
            case .partial where !strict: return
            case .partial: throw ExitCode(2)
            case .differs: throw ExitCode(Failure.Status.finding.rawValue)
            }
        }
    }

    /// The message that is suppressed; nil in an ordinary run.
    private var withheld: WithheldMessage? { withhold.flatMap { WithheldMessage(rawValue: $0) } }

    /// The checks that this run makes.
    private var checks: [LiveCheck] {
        guard let withheld else { return LiveCheck.all }
        return LiveCheck.withheld.filter { $0.id == withheld.check }
    }

    private func showList() {
        for check in LiveCheck.all + LiveCheck.withheld {
            let facts: JSONObject = [
                "id": .text(check.id), "profile": .text(ConformanceProfile.node.rawValue),
                "part": .text(check.part.rawValue), "needs": .text(check.need.rawValue),
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
        var settings = LiveRun.Settings()
        settings.node = node
        settings.address = try await InklingAccess.endpoint(address)
        settings.search = Int64(search)
        settings.maximumWait = Int64(maxWait)
        settings.clockError = Int64(clockError)
        settings.tolerance = Int64(tolerance)
        settings.clock = try demoClock.map { text throws(Failure) in try VaultClock(demonstration: text) } ?? .real
        var known: LiveContact?
        if options.home != nil {
            let home = try await openHome()
            settings.clock = home.clock
            known = try contact(in: home.contents, named: contact, settings.clock)
        }
        let sockets: LiveSockets
        do throws(LiveError) { sockets = try LiveSockets(interface: interface) } catch { throw Failure(error) }
        if let accept, withheld == nil {
            known = try contact(in: try await becomeContact(accept, settings.clock), named: nil, settings.clock)
        }
        let implementation = name ?? known.map { "the node of \($0.person)" } ?? address ?? node ?? "a running node"
        if json {
            write(
                JSON.object(ReportLines.start(implementation: implementation, caseCount: checks.count)).compact
                    + "\n")
        }
        let isShown = isTerminal(2)
        let run = LiveRun(settings, contact: known, network: sockets) { text, milliseconds in
            guard isShown else { return }
            let left = milliseconds.map { ", at most \(max(0, $0 + 999) / 1000) s" } ?? ""
            writeError("\r\u{1b}[K\(text)\(left)")
        }
        defer { if isShown { writeError("\r\u{1b}[K") } }
        let verdicts: [LiveVerdict]
        if let withheld, let accept {
            let invitation = try invitation(accept, settings.clock)
            let joiner = try identity(settings.clock)
            do throws(LiveError) {
                verdicts = [try run.withhold(withheld, joining: invitation, as: joiner)]
            } catch {
                throw Failure(error)
            }
        } else {
            do throws(LiveError) { verdicts = try run.verdicts() } catch { throw Failure(error) }
        }
        let report = ConformanceReport(implementation: implementation, live: verdicts, of: checks)
        if json { for entry in report.entries { write(JSON.object(ReportLines.line(entry)).compact + "\n") } }
        return report
    }

    private func contact(
        in contents: VaultContents, named name: String?, _ clock: VaultClock
    ) throws(Failure) -> LiveContact {
        let now = try period(clock)
        do throws(LiveError) { return try LiveContact(contents, named: name, now: now) } catch { throw Failure(error) }
    }

    private func period(_ clock: VaultClock) throws(Failure) -> Period {
        guard let period = Epoch(containing: SystemClock(clock).read().unixSeconds)?.period else {
            throw Failure(.configuration, "the clock is past August 2089", remedy: "Set the clock.")
        }
        return period
    }

    /// Reads the contents of the home's vault, and its clock, without changing them.
    private func openHome() async throws(Failure) -> (contents: VaultContents, clock: VaultClock) {
        let file = VaultFile(home: try options.path())
        let header = try vaultFailure { () throws(VaultError) in try file.header() }
        let key = try options.key(for: header)
        let vault = try vaultFailure { () throws(VaultError) in
            try file.open(with: key, acceleratedClock: header.clock.isAccelerated)
        }
        return (await VaultKeeper(vault).contents, header.clock)
    }

    /// Accepts an invitation with an identity that exists only for this run.
    private func becomeContact(_ text: String, _ clock: VaultClock) async throws(Failure) -> VaultContents {
        var contents = try identity(clock)
        if trustClock || clock.isAccelerated { contents.vouches.insert(.clock) }
        let keeper = PassingContents(contents)
        guard let node = Node(contents: contents, keeper: keeper, ports: .linux(clock: clock), isVisible: false) else {
            throw Failure(.configuration, "cannot create a device key")
        }
        let invitation = try invitation(text, clock)
        let hint = try await InklingAccess.endpoint(address)
        try await node.whileRunning { () async throws(Failure) in
            _ = try await nodeFailure { () async throws(NodeError) in
                try await node.accept(invitation, at: hint) { one in
                    await blocking { agree(to: IntroductionFact(one), always: yes, json: json, aside: true) }
                }
            }
        }
        return await keeper.contents
    }

    /// Creates an identity that exists only for this run.
    private func identity(_ clock: VaultClock) throws(Failure) -> VaultContents {
        var generator = SystemRandomNumberGenerator()
        let now = try period(clock)
        do throws(CardError) {
            return try NodeIdentity.makeContents(name: "inkling-kit conform live", now: now, using: &generator)
        } catch {
            throw Failure(.configuration, "cannot create an identity: \(error)")
        }
    }

    private func invitation(_ text: String, _ clock: VaultClock) throws(Failure) -> Invitation {
        let object = try objectText([text]).withBytes { text throws(Failure) in try ObjectText(text) }
        guard object.kind == .invitation else { throw Failure(.badData, "not an invitation") }
        let minute = UInt32(clamping: SystemClock(clock).read().unixSeconds / 60)
        do throws(InvitationError) {
            return try object.content.value.withBytes { bytes throws(InvitationError) in
                try Invitation(parsing: bytes, minute: minute)
            }
        } catch {
            throw Failure(.badData, "the invitation is invalid: \(error)")
        }
    }

    private func printable(lines text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { InklingTerminal.printable(String($0)) }
            .joined(separator: "\n")
    }
}

/// A keeper of a node's contents in memory, for one run.
private actor PassingContents: ContentsKeeper {
    private(set) var contents: VaultContents

    init(_ contents: VaultContents) { self.contents = contents }

    func save(_ contents: VaultContents) { self.contents = contents }
}

extension Failure {
    fileprivate init(_ error: LiveError) {
        switch error {
        case .noInterface(let name):
            self.init(.unavailable, "there is no interface \(printable(name))", remedy: "List them with: ip link")
        case .noNetwork: self.init(.unavailable, "no network interface is up", remedy: "List them with: ip link")
        case .cannotListen(let code):
            self.init(.unavailable, "cannot receive multicast DNS: \(unsafe String(cString: strerror(code)))")
        case .noNode(let seconds):
            self.init(
                .unavailable, "no node was found within \(seconds) s",
                remedy: "Check that it is visible and on this network, or give --address HOST:PORT.")
        case .severalNodes(let names):
            self.init(
                .usage, "found \(plural(names.count, "node")): \(names.map(printable).joined(separator: ", "))",
                remedy: "Name one with --node NAME.")
        case .contacts(0, .none):
            self.init(.badData, "the vault contains no contact", remedy: "Become contacts first.")
        case .contacts(let count, .none):
            self.init(
                .badData, "the vault contains \(plural(count, "contact"))", remedy: "Name one with --contact NAME.")
        case .contacts(0, .some(let name)):
            self.init(
                .badData, "no contact is called '\(printable(name))'", remedy: "List them with: inkling contacts list")
        case .contacts(let count, .some(let name)):
            self.init(
                .badData, "\(count) contacts are called '\(printable(name))'",
                remedy: "Rename one with: inkling contacts rename")
        case .noGrant(let name):
            self.init(.badData, "no grant from '\(printable(name))'", remedy: "Become contacts first.")
        case .noDeviceKey: self.init(.badData, "the vault contains no valid device key")
        }
    }
}

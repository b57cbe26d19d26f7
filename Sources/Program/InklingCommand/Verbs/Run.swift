import ArgumentParser
import Dispatch
import InklingAccess
import InklingEngine
import InklingHomeAssistant
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault
import InklingWire

/// `inkling run`
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the node: show yourself to your contacts and notice them, until Ctrl-C.",
        discussion: """
            Other commands for the same home talk to the running node. With --json, each event is one object; \
            Sources/Program/InklingCommand/README.md describes the events and how other programs can subscribe to them.

            Examples:
              $ inkling run --home ada
              $ inkling run --home ada --bluetooth beacon --adapter hci1
              $ inkling run --home ada --receive-files received --file-limit 20M
              $ inkling run --home ada --mqtt mqtt://homeassistant.local --mqtt-user inkling --mqtt-password-file pw
              $ inkling run --home ada --json | jq .
              $ inkling run --home ada --log json 2> inkling.log
              $ inkling run --config inkling.toml
              $ inkling run --home tag --tag
              $ scanner | inkling run --home ada --sightings -
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Start invisible, without looking for anyone, until 'inkling visible' changes that.") var invisible =
        false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Run a vault that was created for a demonstration clock.") var demoClock = false
    @Flag(
        help: """
            Run as a tag, such as one on a key ring: stop showing anything over Bluetooth 30 minutes, and at all 24 \
            hours, after your primary device was last near (Specs/responsible-beacons.md).
            """)
    var tag = false
    @Option(
        help: """
            Report contacts without a delay of their own (inkling contacts delay) as arrived after this many seconds of \
            presence, 0 to 86400. Default: 0.
            """)
    var arriveAfter: UInt64?
    @Option(
        help: """
            Report contacts without a delay of their own as left this many seconds after they were last heard, 30 to \
            86400. Default: 120, and 30 after a goodbye.
            """)
    var leaveAfter: UInt64?
    @OptionGroup var radio: BluetoothOptions
    @OptionGroup var files: FileOptions
    @OptionGroup var broker: BrokerOptions
    @Option(
        help: ArgumentHelp(
            "Also read sightings that another program writes to standard input, one JSON object per line.",
            valueName: "-"))
    var sightings: String?
    @Option(
        help: ArgumentHelp(
            "Serve metrics for Prometheus at this loopback address, such as 127.0.0.1:9760.", valueName: "address"))
    var metrics: String?
    @Option(
        help: ArgumentHelp(
            "Serve the dashboard at this loopback address, such as 127.0.0.1:9761; 'inkling dashboard' shows its token.",
            valueName: "address"))
    var dashboard: String?
    @Option(
        help: ArgumentHelp(
            """
            Write the log to standard error as sentences, or as JSON objects, one per line, that include events but \
            name no one: text or json. Default: text.
            """, valueName: "format"))
    var log: LogFormat?
    @Flag(help: "Print one JSON object for each event.") var json = false

    func validate() throws {
        if tag && demoClock { throw ValidationError("--tag cannot be combined with --demo-clock") }
        if let sightings, sightings != "-" {
            throw ValidationError("--sightings must be '-' for standard input, got '\(sightings)'")
        }
        if let arriveAfter, arriveAfter > 86_400 {
            throw ValidationError("--arrive-after must be 0 to 86400, got \(arriveAfter)")
        }
        for (option, address) in [("--metrics", metrics), ("--dashboard", dashboard)] {
            guard let address, Endpoint(address)?.address.isLoopback != true else { continue }
            throw ValidationError(
                "\(option) must be a loopback address with a port such as 127.0.0.1:9760, got \(address)")
        }
        if let leaveAfter, !(30...86_400).contains(leaveAfter) {
            throw ValidationError("--leave-after must be 30 to 86400, got \(leaveAfter)")
        }
    }

    private func contactOptions(_ configuration: Configuration) -> ContactOptions {
        let arrive = arriveAfter.map(Int64.init) ?? configuration.number(.arriveAfter) ?? 0
        let leave: Duration? = (leaveAfter.map(Int64.init) ?? configuration.number(.leaveAfter)).map { .seconds($0) }
        return ContactOptions(arriveAfter: .seconds(arrive), departAfter: leave, leaveAfter: leave)
    }

    func run() async throws {
        try await reporting(home: options.home) { try await runNode() }
    }

    private func runNode() async throws(Failure) {
        #if Node
            ProcessMemory.returnLargeBlocks()
            ProcessMemory.shareHeap()
            let configuration = try options.configuration()
            if let format = log ?? configuration.text(.logFormat).flatMap(LogFormat.init(rawValue:)) {
                ProgramLog.use(format)
            }
            var (radio, files) = (radio, files)
            radio.complete(from: configuration)
            files.complete(from: configuration)
            let hasAntennas = sightings != nil || !configuration.antennas.isEmpty
            let place = try broker.broker(configuration)
            let opened = try await OpenedNode(
                options, isVisible: !invisible && !configuration.flag(.invisible),
                trustsClock: trustClock || configuration.flag(.trustClock), isTag: tag || configuration.flag(.tag),
                acceleratedClock: demoClock, contactOptions: contactOptions(configuration),
                radio: { await radio.radio($0, profile: $1) },
                files: { files.storage(in: $0) },
                antennas: { [sightings] kind, profile throws(Failure) in
                    let clock = SystemClock(kind)
                    var antennas: [any Antenna] = []
                    if sightings != nil { antennas.append(SightingLines(clock: clock, profile: profile)) }
                    for setting in configuration.antennas {
                        antennas.append(try setting.antenna(clock: clock, profile: profile, broker: place))
                    }
                    return antennas
                })
            try await files.apply(to: opened.node)
            let counts = EventCounts()
            let measuring = try await serveMetrics(of: opened.node, counts, configuration)
            let shown = try await serveDashboard(of: opened, configuration)
            let server = try await ControlServer(
                at: try options.control(), of: ServedNode(node: opened.node, dashboard: shown?.place))
            let publishing = try publish(
                for: opened, at: place, broker.settings(configuration, hasAntennas: hasAntennas))
            // `report` notices when the reader of the events has gone away.
            outliveReaders()
            let signals = onSignals { [node = opened.node] in node.stop() }
            defer { for signal in signals { signal.cancel() } }
            if demoClock && !json && !ProgramLog.isStructured {
                write("This is a demonstration: its clock runs faster than real time.\n")
            }
            // A command that arrives while the node starts waits until the clock has been checked, and is not refused.
            let serving = Task { [node = opened.node] in
                await node.started()
                await server.run()
            }
            let events = opened.node.events
            let namesContacts = configuration.flag(.logOfContacts)
            let reporting = Task { await report(events, of: opened.node, counts, namesContacts: namesContacts) }
            let supervising = Task { await Supervision(opened: opened).run() }
            await opened.node.run()
            ServiceNotification.send(.stopping)
            supervising.cancel()
            measuring?.cancel()
            shown?.serving.cancel()
            serving.cancel()
            await serving.value
            // Both end with the node's last event.
            await reporting.value
            await publishing?.value
        #else
            try requireNetwork()
        #endif
    }

    #if Node
        /// Publishes who is home, if the operator wants it; the task ends after the node's last event.
        private func publish(
            for opened: OpenedNode, at broker: MQTTBroker?, _ settings: HomeSettings?
        ) throws(Failure) -> Task<Void, Never>? {
            guard let broker, let settings else { return nil }
            let publisher = try HomePublisher(broker, settings, for: opened.node, in: opened.home)
            let events = opened.node.events
            return Task { await publisher.run(events) }
        }

        /// Serves the metrics of the node, if the operator wants them; the task ends when it is cancelled.
        private func serveMetrics(
            of node: Node, _ counts: EventCounts, _ configuration: Configuration
        ) async throws(Failure) -> Task<Void, Never>? {
            guard let address = metrics ?? configuration.text(.metricsAddress), let endpoint = Endpoint(address) else {
                return nil
            }
            let figures = NodeMetrics(
                node: node, counts: counts, showsContacts: configuration.flag(.metricsOfContacts))
            let server = try await LoopbackServer(at: endpoint, figures)
            return Task { await server.run() }
        }

        /// Serves the dashboard of the node, if the operator wants it; the task ends when it is cancelled.
        private func serveDashboard(
            of opened: OpenedNode, _ configuration: Configuration
        ) async throws(Failure) -> (place: DashboardFact, serving: Task<Void, Never>)? {
            guard let address = dashboard ?? configuration.text(.dashboardAddress), let endpoint = Endpoint(address)
            else { return nil }
            let options = options
            let checkup = Checkup(
                listeningFor: 2, trustsClock: trustClock || configuration.flag(.trustClock),
                adapter: radio.adapter ?? configuration.text(.adapter),
                profile: { HomeObservation.profile(options) })
            let clock = try vaultFailure { () throws(VaultError) in try VaultFile(home: opened.home).header().clock }
            let site = Dashboard(of: opened.node, checkup: checkup, clock: SystemClock(clock))
            let server = try await LoopbackServer(at: endpoint, site)
            let serving = Task {
                async let collecting: Void = site.collect()
                await server.run()
                _ = await collecting
            }
            return (DashboardFact(address: "http://\(server.endpoint)/", secret: site.token.text), serving)
        }
    #endif

    private func report(
        _ events: NodeStream<NodeEvent>, of node: Node, _ counts: EventCounts, namesContacts: Bool
    ) async {
        var names = ContactNames(of: node)
        for await event in events {
            let fact = await names.fact(of: event)
            counts.note(event, named: fact.kind.rawValue)
            NodeLog.write(fact, namesContacts: namesContacts)
            if ProgramLog.isStructured && !json { continue }
            guard writeFact(fact, asJSON: json, otherwise: { "\($0.time)  \($0.sentence)\n" }) else {
                return node.stop()
            }
        }
    }
}

import ArgumentParser
import Dispatch
import InklingEngine
import InklingLinux
import InklingNode

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling run`
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the node: show yourself to your contacts and notice them, until Ctrl-C.",
        discussion: """
            Other commands for the same home talk to the running node. With --json, each event is one object; \
            Sources/InklingCommand/README.md describes the events and how other programs can subscribe to them.

            Examples:
              $ inkling run --home ada
              $ inkling run --home ada --bluetooth beacon --adapter hci1
              $ inkling run --home ada --receive-files received --file-limit 20M
              $ inkling run --home ada --json | jq .
            """)

    @OptionGroup var options: HomeOptions
    @Flag(help: "Be visible to nobody, and look for nobody, until 'inkling visible' says otherwise.") var invisible =
        false
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Run a vault that was created for a demonstration clock.") var demoClock = false
    @Option(
        help: """
            Report contacts without a delay of their own (inkling contacts delay) as arrived after this many seconds of \
            presence, 0 to 86400.
            """)
    var arriveAfter: UInt64 = 0
    @Option(
        help: """
            Report contacts without a delay of their own as left this many seconds after they were last heard, 30 to \
            86400. Default: 120, and 30 after a goodbye.
            """)
    var leaveAfter: UInt64?
    @OptionGroup var radio: BluetoothOptions
    @OptionGroup var files: FileOptions
    @Flag(help: "Print one JSON object for each event.") var json = false

    func validate() throws {
        guard arriveAfter <= 86_400 else {
            throw ValidationError("--arrive-after must be 0 to 86400, got \(arriveAfter)")
        }
        if let leaveAfter, !(30...86_400).contains(leaveAfter) {
            throw ValidationError("--leave-after must be 30 to 86400, got \(leaveAfter)")
        }
    }

    private var contactOptions: ContactOptions {
        let leave: Duration? = leaveAfter.map { .seconds($0) }
        return ContactOptions(arriveAfter: .seconds(arriveAfter), departAfter: leave, leaveAfter: leave)
    }

    func run() async throws {
        try await reporting(for: options) { try await runNode() }
    }

    private func runNode() async throws(Failure) {
        #if Node
            ProcessMemory.returnLargeBlocks()
            let opened = try await OpenedNode(
                options, isVisible: !invisible, trustsClock: trustClock, acceleratedClock: demoClock,
                contactOptions: contactOptions, radio: { await radio.radio($0, profile: $1) },
                files: { files.storage(in: $0) })
            try await files.apply(to: opened.node)
            let server = try await ControlServer(home: opened.home, node: opened.node)
            let signals = stopOnSignals(opened.node)
            defer { for signal in signals { signal.cancel() } }
            if demoClock && !json { write("This is a demonstration: its clock runs faster than real time.\n") }
            let serving = Task { await server.run() }
            let events = opened.node.events
            let reporting = Task { await report(events, of: opened.node) }
            await opened.node.run()
            serving.cancel()
            await serving.value
            // Ends with the node's last event.
            await reporting.value
        #else
            try requireNetwork()
        #endif
    }

    private func stopOnSignals(_ node: Node) -> [any DispatchSourceSignal] {
        // `report` notices when the reader of the events has gone away.
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
        var names = ContactNames(of: node)
        for await event in events {
            let fact = await names.fact(of: event)
            guard writeFact(fact, asJSON: json, otherwise: { "\($0.time)  \($0.sentence)\n" }) else {
                return node.stop()
            }
        }
    }
}

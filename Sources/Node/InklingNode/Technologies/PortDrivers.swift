/// The ports of every link technology, each with its own queue of commands.
struct PortDrivers: Sendable {
    private let lan: LANPorts
    private let lanCommands: AsyncStream<LANCommand>.Continuation
    /// The Bluetooth ports; nil for a node without a radio.
    private let bluetooth: BluetoothPorts?
    private let bluetoothCommands: AsyncStream<BluetoothCommand>.Continuation

    init(_ ports: NodePorts) {
        let commands: AsyncStream<LANCommand>
        (commands, lanCommands) = AsyncStream.makeStream()
        lan = LANPorts(discovery: ports.discovery, links: ports.links, commands: commands)
        let radioCommands: AsyncStream<BluetoothCommand>
        (radioCommands, bluetoothCommands) = AsyncStream.makeStream()
        bluetooth = ports.bluetooth.map { BluetoothPorts(radio: $0, commands: radioCommands) }
    }

    /// Queues a command.
    func send(_ command: PortCommand) {
        switch command {
        case .lan(let command): lanCommands.yield(command)
        case .bluetooth(let command): bluetoothCommands.yield(command)
        }
    }

    /// Returns once every command queued before has been carried out.
    func settled() async {
        let reply = Reply<Void>()
        if case .enqueued = lanCommands.yield(.settled(reply)) { await reply.value() }
        guard bluetooth != nil else { return }
        let radioReply = Reply<Void>()
        if case .enqueued = bluetoothCommands.yield(.settled(radioReply)) { await radioReply.value() }
    }

    /// Ends the queues, so that `run` closes everything and returns.
    func finish() {
        lanCommands.finish()
        bluetoothCommands.finish()
    }

    /// Carries out commands until `finish`, and then closes what is still open. A technology whose ports hang does not
    /// delay the others.
    ///
    /// - Parameters:
    ///   - report: delivers an outcome to the node and returns once the node has processed it.
    ///   - serve: takes ownership of an accepted link.
    func run(
        report: @escaping @Sendable (LinkTechnologyID, PortOutcome) async -> Void,
        serve: @escaping @Sendable (any Link, LinkTechnologyID) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await lan.run(report: { await report(.lan, .lan($0)) }, serve: { await serve($0, .lan) }) }
            if let bluetooth {
                group.addTask {
                    await bluetooth.run(
                        report: { await report(.bluetooth, .bluetooth($0)) }, serve: { await serve($0, .bluetooth) })
                }
            }
        }
    }
}

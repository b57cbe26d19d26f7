/// The ports of every link technology, each behind a queue of commands of its own.
struct PortDrivers: Sendable {
    private let lan: LANPorts
    private let lanCommands: AsyncStream<LANCommand>.Continuation

    init(_ ports: NodePorts) {
        let commands: AsyncStream<LANCommand>
        (commands, lanCommands) = AsyncStream.makeStream()
        lan = LANPorts(discovery: ports.discovery, links: ports.links, commands: commands)
    }

    /// Puts a command behind those that were sent before.
    func send(_ command: PortCommand) {
        switch command {
        case .lan(let command): lanCommands.yield(command)
        }
    }

    /// Sends no more commands, so that `run` closes everything and returns.
    func finish() { lanCommands.finish() }

    /// Carries out the commands until there are no more, and closes what is still open.
    ///
    /// - Parameters:
    ///   - report: gives an outcome to the node and returns when it has been taken.
    ///   - serve: takes over an accepted link.
    func run(
        report: @escaping @Sendable (LinkTechnologyID, PortOutcome) async -> Void,
        serve: @escaping @Sendable (any Link, LinkTechnologyID) async -> Void
    ) async {
        await lan.run(report: { await report(.lan, .lan($0)) }, serve: { await serve($0, .lan) })
    }
}

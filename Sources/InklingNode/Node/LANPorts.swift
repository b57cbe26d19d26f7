internal import InklingKeys

/// What the local network's machine asks of its ports.
enum LANCommand: Sendable {
    /// Accept links on a fresh port; the number comes back with the outcome.
    case listen(Int)
    case stopListening
    case openServer(Int, Publication)
    case answer([ServiceInstance])
    case resolve(OpaqueServiceName)
    case closeServer(goodbye: Bool)
}

/// What the ports of the local network report.
enum LANOutcome: Sendable {
    case listening(Int, Result<UInt16, LinkError>)
    case opened(Int, DiscoveryError?)
    case event(Int, DiscoveryEvent)
}

/// Carries out the commands of the local network's machine, each to its end before the next begins.
///
/// The open server and the open listener live here and nowhere else, so that a command to close always reaches what an
/// earlier command has opened.
struct LANPorts: Sendable {
    let discovery: any ServiceDiscovery
    let links: any LinkTransport
    let commands: AsyncStream<LANCommand>

    /// Runs until the commands end, and closes what is still open.
    ///
    /// - Parameters:
    ///   - report: gives an outcome to the node and returns when it has been taken: of the events of a server one at
    ///     a time waits among the inputs, however many strangers there are.
    ///   - serve: takes over a link that somebody has made.
    func run(
        report: @escaping @Sendable (LANOutcome) async -> Void, serve: @escaping @Sendable (any Link) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            var server: (any DiscoverySession)?
            var listener: (any LinkListener)?
            for await command in commands {
                switch command {
                case .listen(let number):
                    await listener?.close()
                    listener = nil
                    do throws(LinkError) {
                        let opened = try await links.listen()
                        listener = opened
                        group.addTask { for await link in opened.links { await serve(link) } }
                        await report(.listening(number, .success(opened.port)))
                    } catch {
                        await report(.listening(number, .failure(error)))
                    }
                case .stopListening:
                    await listener?.close()
                    listener = nil
                case .openServer(let number, let publication):
                    await server?.close(goodbye: false)
                    server = nil
                    do throws(DiscoveryError) {
                        let opened = try await discovery.open(publication)
                        server = opened
                        await report(.opened(number, nil))
                        group.addTask { for await event in opened.events { await report(.event(number, event)) } }
                    } catch {
                        await report(.opened(number, error))
                    }
                case .answer(let instances): await server?.answer(instances)
                case .resolve(let name): await server?.resolve(name)
                case .closeServer(let goodbye):
                    await server?.close(goodbye: goodbye)
                    server = nil
                }
            }
            await server?.close(goodbye: false)
            await listener?.close()
        }
    }
}

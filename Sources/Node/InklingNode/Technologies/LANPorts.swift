internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// A command of `LANTechnology` to its ports.
enum LANCommand: Sendable {
    /// Accept links on a new port; the outcome carries the same number.
    case listen(Int)
    case stopListening
    case openServer(Int, Publication, KnownNames)
    case recognise(KnownNames)
    case answer([ServiceInstance])
    case search(OpaqueServiceName, OpaqueHostName?)
    case closeServer(goodbye: Bool)
    /// Reply once the earlier commands have been carried out.
    case settled(Reply<Void>)
}

/// A report of the ports to `LANTechnology`, with the number of the command that opened the listener or the server.
enum LANOutcome: Sendable {
    case listening(Int, Result<UInt16, LinkError>)
    case opened(Int, DiscoveryError?)
    case event(Int, DiscoveryEvent)
}

/// The executor of `LANTechnology`'s commands, one after the other.
///
/// It alone owns the open server and the open listener, so that a command to close always reaches what an earlier
/// command has opened.
struct LANPorts: Sendable {
    let discovery: any ServiceDiscovery
    let links: any LinkTransport
    let commands: AsyncStream<LANCommand>

    /// Runs until the commands end, and closes what is still open.
    ///
    /// - Parameters:
    ///   - report: delivers an outcome to the node and returns once the node has processed it, so that at most one
    ///     event of a server is queued, however many strangers there are.
    ///   - serve: takes ownership of an accepted link.
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
                case .openServer(let number, let publication, let names):
                    await server?.close(goodbye: false)
                    server = nil
                    do throws(DiscoveryError) {
                        let opened = try await discovery.open(publication, recognising: names)
                        server = opened
                        await report(.opened(number, nil))
                        group.addTask { for await event in opened.events { await report(.event(number, event)) } }
                    } catch {
                        await report(.opened(number, error))
                    }
                case .answer(let instances): await server?.answer(instances)
                case .recognise(let names): await server?.recognise(names)
                case .search(let name, let host): await server?.search(name, at: host)
                case .settled(let reply): reply.send(())
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

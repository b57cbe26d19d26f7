#if Node
    import InklingKeys
    import InklingNode
    import InklingSession
    import InklingTesting
    import Testing

    @testable import InklingCommand

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @Suite struct `A server that stops` {
        @Test func `ends the connections that wait at the control socket`() async throws {
            let folder = try Folder()
            let (home, node) = try await node(in: folder)
            let place = ControlPlace(home: home)
            for _ in 0..<50 {
                let server = try await ControlServer(at: place, handler: ControlHandler(node: node))
                let serving = Task { await server.run() }
                let clients = try (0..<4).map { _ in try #require(try ControlSocket.connect(to: place)) }
                serving.cancel()
                await serving.value
                for client in clients {
                    nonisolated(unsafe) let client = client
                    let hasEnded = await blocking { unsafe client.receive() == nil }
                    #expect(hasEnded)
                }
            }
        }

        @Test func `ends the connections that wait at a loopback address`() async throws {
            let folder = try Folder()
            let (_, node) = try await node(in: folder)
            let endpoint = try #require(Endpoint("127.0.0.1:\(try freePort())"))
            let figures = NodeMetrics(node: node, counts: EventCounts(), showsContacts: false)
            let server = try await LoopbackServer(at: endpoint, figures)
            let serving = Task { await server.run() }
            // More than it serves at a time, and none of them asks for anything.
            let clients = try (0..<24).map { _ in try connection(to: endpoint.port) }
            defer { for client in clients { close(client) } }
            try await waitUntilAccepted(at: endpoint.port)
            serving.cancel()
            await serving.value
            for client in clients {
                let hasEnded = await blocking {
                    var byte: UInt8 = 0
                    return unsafe recv(client, &byte, 1, 0) <= 0
                }
                #expect(hasEnded)
            }
        }

        /// Returns a home and its node, which does not run.
        private func node(in folder: Folder) async throws -> (home: String, node: Node) {
            let home = try Home("Ada", in: folder)
            // Without the options, which would harden this process.
            let opened = try await OpenedNode(home: home.path, isVisible: false, trustsClock: true) {
                _ throws(Failure) in
                try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: home.keyFile) }
            }
            return (home.path, opened.node)
        }

        /// Waits until a server has accepted all connections to its port; the system says how many it has not.
        private func waitUntilAccepted(at port: UInt16) async throws {
            let number = String(port, radix: 16, uppercase: true)
            let address = "0100007F:" + String(repeating: "0", count: 4 - number.count) + number
            let end = ContinuousClock.now + .seconds(20)
            while ContinuousClock.now < end {
                let table = String(decoding: try readFile("/proc/net/tcp"), as: UTF8.self)
                if table.contains(address + " 00000000:0000 0A 00000000:00000000 ") { return }
                await Task.yield()
            }
            Issue.record("the server does not accept connections")
        }
    }
#endif

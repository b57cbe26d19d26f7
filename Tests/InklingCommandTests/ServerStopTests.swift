#if Node
    import InklingKeys
    import InklingNode
    import InklingProgramTesting
    import InklingVault
    import InklingWire
    import InklingTerminal
    import InklingTesting
    import Testing

    @testable import InklingAccess
    @testable import InklingCommand

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @Suite(.runsPrograms) struct `A server that stops` {
        @Test func `ends the connections that wait at the control socket`() async throws {
            let folder = try Folder()
            let (home, node) = try await node(in: folder)
            let place = ControlPlace(home: home)
            for _ in 0..<5 {
                let server = try await ControlServer(at: place, of: ServedNode(node: node))
                let serving = Task { await server.run() }
                let clients = try (0..<4).map { _ in try #require(try ControlSocket.connect(to: place)) }
                serving.cancel()
                await serving.value
                for client in clients {
                    nonisolated(unsafe) let client = client
                    let hasEnded = await blocking { unsafe client.receive { _ in false } == nil }
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
            let clients = try (0..<4).map { _ in try connection(to: endpoint.port) }
            defer { for client in clients { close(client) } }
            try waitUntilAccepted(at: endpoint.port)
            let serving = Task { await server.run() }
            serving.cancel()
            await serving.value
            for client in clients {
                let hasEnded = await blocking {
                    var byte: UInt8 = 0
                    let count = unsafe recv(client, &byte, 1, 0)
                    return count == 0 || count < 0 && errno == ECONNRESET
                }
                #expect(hasEnded)
            }
        }

        @Test func `leaves no connection to a program that the process starts meanwhile`() async throws {
            let folder = try Folder()
            let (home, node) = try await node(in: folder)
            let place = ControlPlace(home: home)
            let control = try await ControlServer(at: place, of: ServedNode(node: node))
            let endpoint = try #require(Endpoint("127.0.0.1:\(try freePort())"))
            let figures = NodeMetrics(node: node, counts: EventCounts(), showsContacts: false)
            let loopback = try await LoopbackServer(at: endpoint, figures)
            let serving = [Task { await control.run() }, Task { await loopback.run() }]
            let peers = try (0..<4).map { _ in try #require(try ControlSocket.connect(to: place)) }
            let clients = try (0..<4).map { _ in try connection(to: endpoint.port) }
            defer { for client in clients { close(client) } }
            // Four connections and the socket that listens, at each place.
            let bound = [place.path, "\(endpoint.port)"]
            // The inherited flag of a connection is set a moment after the kernel has accepted it.
            try wait {
                let own = (0..<4096 as Range<Int32>).filter { boundPlace(of: $0).map(bound.contains) == true }
                return own.count == 10 && own.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 }
            }
            #expect(peers.count == 4)
            for server in serving {
                server.cancel()
                await server.value
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

        /// The path or the port to which a descriptor of this process is bound.
        private func boundPlace(of descriptor: Int32) -> String? {
            var address = [UInt8](repeating: 0, count: 128)
            var length = socklen_t(address.count)
            let code = unsafe address.withUnsafeMutableBytes { bytes in
                unsafe getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
            }
            guard code == 0 else { return nil }
            switch Int32(address[0]) {
            case AF_UNIX: return String(decoding: address.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self)
            case AF_INET: return String(UInt16(address[2]) << 8 | UInt16(address[3]))
            default: return nil
            }
        }

        /// Waits until a server has accepted all connections to its port; the system says how many it has not.
        private func waitUntilAccepted(at port: UInt16) throws {
            let number = String(port, radix: 16, uppercase: true)
            let line = "0100007F:" + String(repeating: "0", count: 4 - number.count) + number + " 00000000:0000 0A "
            try wait {
                String(decoding: try bytesOfFile("/proc/net/tcp"), as: UTF8.self).contains(line + "00000000:00000000 ")
            }
        }
    }
#endif

#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingProgramTesting
    import InklingTerminal
    import InklingTesting
    import Synchronization
    import InklingVault
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @testable import InklingAccess
    @testable import InklingCommand

    /// A node with a control socket and its client, both in this process.
    @Suite(.runsPrograms) struct `An invitation at the control socket` {
        @Test func `leaves nothing in the memory of either side when it was shown`() async throws {
            try await expectNothing { try shown(by: $0) }
        }

        @Test func `leaves nothing in the memory of either side when it was read`() async throws {
            try await expectNothing { try read(by: $0) }
        }

        /// Searches the memory for the secrets of `body` once the last connection has ended, while the node still runs.
        private func expectNothing(of body: @Sendable (_ home: String) throws -> MemorySearch) async throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            // Without the options, which would harden this process.
            let opened = try await OpenedNode(home: home.path, isVisible: false, trustsClock: true) {
                _ throws(Failure) in
                try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: home.keyFile) }
            }
            let server = try await ControlServer(
                at: ControlPlace(home: home.path), of: ServedNode(node: opened.node))
            let running = Task { await opened.node.run() }
            let serving = Task { await server.run() }
            await opened.node.started()
            let search = try body(home.path)
            serving.cancel()
            await serving.value
            #expect(try #require(search.found()) == [:])
            opened.node.stop()
            await running.value
        }

        /// Lets the node show an invitation, goes away, and waits until the node has withdrawn it and ends the connection.
        private func shown(by home: String) throws -> MemorySearch {
            let descriptor = try #require(connectedSocket(to: "\(home)/control"))
            let connection = ControlConnection(descriptor: descriptor)
            #expect(connection.send(.request(Request.Invite(minutes: 1).json, secret: nil)))
            guard case .fact(let fact)? = connection.receive(InvitationFact.isFollowedBySecret), let text = fact.secret
            else { throw Unexpected() }
            let search = try memorySearch(for: text.value)
            shutdown(descriptor, Int32(SHUT_WR))
            #expect(connection.receive { _ in false } == nil)
            return search
        }

        /// Lets the node read an invitation that ended long ago.
        private func read(by home: String) throws -> MemorySearch {
            let connection = try #require(try ControlSocket.connect(to: ControlPlace(home: home)))
            let secret = SecretBytes(count: Invitation.byteCount) { view in
                var generator = SystemRandomNumberGenerator()
                for index in view.indices { view[index] = generator.next() }
                // Version 1, the transport TCP, and a minute of 1970.
                view[0] = 1
                for (index, byte) in [0x00, 0xff, 0, 0, 0, 1].enumerated() { view[49 + index] = UInt8(byte) }
            }
            let text = SecretBox(try secret.withBytes { bytes in try TextForm.secretText(.invitation, bytes) })
            let search = try memorySearch(for: text.value)
            #expect(throws: Failure.self) {
                try connection.carryOut(Request.Accept(address: nil, secret: text), fact: { (_: ContactFact) in })
            }
            return search
        }

        /// Returns a search for a text and for the secret in it, both of which are in memory now.
        private func memorySearch(for text: borrowing SecretBytes) throws -> MemorySearch {
            var search = MemorySearch()
            text.withBytes { search.add("the text", $0) }
            let object = try text.withBytes { text throws(Failure) in try ObjectText(text) }
            #expect(object.kind == .invitation)
            object.content.value.withBytes { search.add("the secret", $0.extracting(17..<49)) }
            #expect(try Set(#require(search.found()).keys) == search.names)
            return search
        }
    }

    private struct Unexpected: Error {}
#endif

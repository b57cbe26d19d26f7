#if Node
    import InklingEngine
    import InklingKeys
    import InklingNode
    import InklingTesting
    import Synchronization
    import Testing

    @testable import InklingCommand

    /// A node with a control socket and its client, both in this process.
    @Suite(.serialized, .runsPrograms) struct `An invitation at the control socket` {
        @Test func `leaves nothing in the memory of either side when it was shown`() async throws {
            try await withNode { home, node in
                let search = try await blocking { Result { try shown(by: home) } }.get()
                try await waitUntilWithdrawn(by: node)
                try await expectNothing(of: search)
            }
        }

        @Test func `leaves nothing in the memory of either side when it was read`() async throws {
            try await withNode { home, _ in
                let search = try await blocking { Result { try read(by: home) } }.get()
                try await expectNothing(of: search)
            }
        }

        private func withNode(_ body: (String, Node) async throws -> Void) async throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            // Without the options, which would harden this process.
            let opened = try await OpenedNode(home: home.path, isVisible: false, trustsClock: true) {
                _ throws(Failure) in
                try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: home.keyFile) }
            }
            let server = try await ControlServer(
                at: ControlPlace(home: home.path), handler: ControlHandler(node: opened.node))
            let running = Task { await opened.node.run() }
            let serving = Task { await server.run() }
            await opened.node.started()
            try await body(home.path, opened.node)
            serving.cancel()
            opened.node.stop()
            await running.value
            await serving.value
        }

        /// Lets the node show an invitation, and goes away.
        private func shown(by home: String) throws -> MemorySearch {
            let connection = try #require(try ControlSocket.connect(to: ControlPlace(home: home)))
            #expect(connection.send(.request(.invite(minutes: 1))))
            guard case .fact(.invitation(_, .some(let text)))? = connection.receive() else {
                throw Unexpected()
            }
            return try memorySearch(for: text.value)
        }

        /// Lets the node read an invitation that has ended long ago.
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
                try connection.carryOut(.accept(text: text, address: nil), fact: { _ in })
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

        /// The node withdraws the invitation when it notices that its client has gone.
        private func waitUntilWithdrawn(by node: Node) async throws {
            let end = ContinuousClock.now + .seconds(20)
            while true {
                let isLast = ContinuousClock.now >= end
                do throws(NodeError) {
                    _ = try await node.invitationOutcome()
                } catch .invitationEnded {
                    return
                } catch {
                    // The handler of the client still waits for the outcome.
                    if isLast { throw Unexpected() }
                    await Task.yield()
                }
            }
        }

        /// The tasks of the connection end a moment after its last message.
        private func expectNothing(of search: MemorySearch) async throws {
            let end = ContinuousClock.now + .seconds(10)
            var found = try #require(search.found())
            while !found.isEmpty, ContinuousClock.now < end {
                await Task.yield()
                found = try #require(search.found())
            }
            #expect(found == [:])
        }
    }

    private struct Unexpected: Error {}
#endif

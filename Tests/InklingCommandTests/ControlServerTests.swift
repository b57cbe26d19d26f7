#if Node
    import InklingAccess
    import InklingKeys
    import InklingNode
    import InklingProgramTesting
    import InklingTerminal
    import InklingTesting
    import InklingVault
    import Testing

    @testable import InklingCommand

    /// A server in this process whose deadlines are on a clock that stands still, so that nothing but a test makes them pass.
    @Suite(.runsPrograms) struct `A control server` {
        private let clock = ManualClock()

        private func withServer(
            of home: Home, _ body: (_ home: String) async throws -> Void
        ) async throws {
            // Without the options, which would harden this process.
            let opened = try await OpenedNode(home: home.path, isVisible: false, trustsClock: true) {
                _ throws(Failure) in
                try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: home.keyFile) }
            }
            let server = try await ControlServer(
                at: ControlPlace(home: home.path), of: ServedNode(node: opened.node), clock: clock)
            let serving = Task { await server.run() }
            defer { serving.cancel() }
            try await body(home.path)
        }

        @Test func `answers others while clients are silent, and disconnects those when their time is over`()
            async throws
        {
            let folder = try Folder()
            try await withServer(of: try Home("Ada", in: folder)) { home in
                let limit = ControlPlaces.waitingLimit
                let silent = try (0..<40).map { _ in try ControlClient(home) }
                // Once this many have left, each of the others has a place.
                try wait { silent.count(where: \.isClosed) == 40 - limit }
                let half = try ControlClient(home)
                half.write(#"{"request":"#.utf8)
                try wait { silent.count(where: \.isClosed) == 41 - limit }
                #expect(try ask(Request.Status(), of: home).count == 1)
                // After the other answer this client still has its place.
                half.write("{\"do\":\"status\"}}\n".utf8)
                #expect(half.answer().hasPrefix(#"{"fact":{"status":"#))

                // The one whose request was carried out had a place, too.
                try wait { silent.count(where: \.isClosed) == 42 - limit }
                let left = silent.filter { !$0.isClosed }
                try wait { clock.sleeperCount == left.count }
                clock.advance(by: .milliseconds(4_999))
                let late = try #require(left.last)
                late.write("{\"request\":{\"do\":\"status\"}}\n".utf8)
                #expect(late.answer().hasPrefix(#"{"fact":{"status":"#))
                clock.advance(by: .milliseconds(1))
                for client in left.dropLast() { #expect(client.answer() == "closed") }
            }
        }

        @Test func `disconnects a client that does not read, and lets one that reads late have the whole answer`()
            async throws
        {
            let folder = try Folder()
            let crowded = try Home(
                "Ada", in: folder,
                contents: try acquaintedContents(["Ada"] + (1...Self.contactCount).map { "Contact \($0)" })[0])
            let epoch = folder.clock.epoch
            try await withServer(of: crowded) { home in
                let late = try ControlClient(home)
                late.askForPredictions(from: epoch)
                try waitUntilFull(late, home)
                let answer = late.rest().split(separator: "\n")
                #expect(answer.last == #"{"done":true}"#, "\(answer.count) lines, the last: \(answer.last ?? "")")
                #expect(answer.count == Self.contactCount * 192 + 1)

                let deaf = try ControlClient(home)
                deaf.askForPredictions(from: epoch)
                try waitUntilFull(deaf, home)
                try wait {
                    clock.advance(by: .seconds(5))
                    return deaf.isClosed
                }
                let rest = deaf.rest()
                #expect(!rest.isEmpty && !rest.contains(#"{"done":true}"#))
            }
        }

        /// Waits until the socket of a client is full: nothing has arrived while another client was answered.
        private func waitUntilFull(_ client: ControlClient, _ home: String) throws {
            try wait {
                let before = client.unread
                _ = try ask(Request.Status(), of: home)
                return before > 0 && client.unread == before
            }
        }

        /// A number of contacts about which one answer does not fit into the buffers of the socket and of the node.
        private static let contactCount = 14
    }
#endif

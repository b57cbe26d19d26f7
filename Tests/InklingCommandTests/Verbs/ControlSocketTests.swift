#if Node
    import InklingJSON
    import InklingTesting
    import Testing

    @testable import InklingCommand

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @Suite(.serialized, .runsPrograms) struct `The control socket of a running node` {
        @Test func `rejects hostile messages at the control socket, and keeps running`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run")
            try node.waitForControl(of: home)
            for input in try hostileInputs("control-message") {
                let socket = try ControlClient(home)
                socket.write(input.bytes)
                #expect(socket.answer() == input.refusal, "\(input)")
            }
            let request = #"{"request":{"do":"status"}}"#
            for unfinished in [[], Array(request.utf8), Array("\(request)\n\(request)\nnonsense\n".utf8)] {
                try ControlClient(home).write(unfinished)
            }
            let silent = try (0..<8).map { _ in try ControlClient(home) }
            let status = try home.run("status")
            #expect(status.status == 0, "\(status)")
            #expect(silent.count == 8)
            node.interrupt()
            #expect(try node.finish(within: Program.promptly).status == 0)
        }

        @Test func `silent clients of the control socket do not block others, and are disconnected`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run", "--invisible")
            try node.waitForControl(of: home)
            // Other tests may hold up one reply past the end of the silent clients, but not every one.
            var isPrompt = false
            for _ in 0..<5 where !isPrompt {
                let silent = try (0..<40).map { _ in try ControlClient(home) }
                let half = try ControlClient(home)
                half.write(Array(#"{"request":"#.utf8))
                let status = try home.run("status")
                #expect(status.status == 0, "\(status)")
                isPrompt = half.answer(within: 0) == "silence"
                // At once for those whose place was needed, and after five seconds for the others.
                for client in silent + [half] { #expect(client.answer() == "closed") }
            }
            #expect(isPrompt)
        }

        @Test func `clients that follow events leave a place for status`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run", "--invisible")
            try node.waitForControl(of: home)
            let request = Array(#"{"request":{"do":"presence"}}"#.utf8) + [0x0a]
            let followers = try (0..<ControlPlaces.requestLimit).map { _ in try ControlClient(home) }
            for follower in followers { follower.write(request) }
            var refusals: [String] = []
            for _ in 0..<20 where refusals.isEmpty {
                let further = try ControlClient(home)
                further.write(request)
                // A follower is told nothing until something happens.
                if further.answer(within: 1000) == "failed 69" { refusals.append("failed 69") }
            }
            #expect(refusals == ["failed 69"])
            let status = try Program.run(["status"] + home.options, within: Program.promptly)
            #expect(status.status == 0, "\(status)")
            #expect(followers.count == ControlPlaces.requestLimit)
        }

        @Test func `disconnects a client that does not read`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            for number in 1...8 {
                let other = try Home("Contact \(number)", in: folder)
                for grant in try other.add(home) {
                    _ = try home.add(other)
                    _ = try home.facts("card", "add", grant)
                }
            }
            let node = try home.start("run", "--invisible")
            try node.waitForControl(of: home)
            let first = currentTime() / 900
            let client = try ControlClient(home)
            client.write(
                Array(#"{"request":{"do":"predictions","from":\#(first),"to":\#(first + 191)}}"#.utf8) + [0x0a])
            // It reads only after the node has lost its patience.
            #expect(client.rest(after: 7_000).contains(#"{"done":true}"#) == false)
            let reader = try ControlClient(home)
            reader.write(
                Array(#"{"request":{"do":"predictions","from":\#(first),"to":\#(first + 191)}}"#.utf8) + [0x0a])
            #expect(reader.rest().contains(#"{"done":true}"#))
        }

        @Test func `a client that reads later than the node answers gets the whole answer`() throws {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder)
            let node = try ada.start("run", "--json")
            _ = try node.fact(within: 60) { $0["event"]?.text == "visible" }
            // Enough of them that an answer does not fit into the buffers of the socket and of the node.
            for number in 1...14 {
                _ = try ada.run("phone", "add", "P\(number)", "--entity", "notify.p", "--days", "1", "--trust-clock")
            }
            let epoch = currentTime() / 900
            let client = try ControlClient(ada)
            client.write(
                Array(#"{"request":{"do":"predictions","from":\#(epoch),"to":\#(epoch + 191)}}\#n"#.utf8))
            let answer = client.rest(after: 1_500).split(separator: "\n")
            #expect(answer.last == #"{"done":true}"#, "\(answer.count) lines, the last: \(answer.last ?? "")")
            #expect(answer.count == 14 * 192 + 1)
            node.interrupt()
            _ = try node.finish()
        }

        @Test func `a short Python program can follow who is near`() throws {
            let folder = try Folder()
            let (ada, bo) = try acquaintances(in: folder)
            let example = try exampleOnPage("presence.py")
            let none = try Program(["python3", example, ada.path], program: "/usr/bin/env").finish()
            #expect(none.status != 0)
            let nodes = [try ada.start("run"), try bo.start("run")]
            try nodes[0].waitForControl(of: ada)
            let watcher = try Program(["python3", example, ada.path], program: "/usr/bin/env")
            // Every contact first, and then every change.
            #expect(try watcher.line().hasPrefix("Bo "))
            let present = try watcher.line(within: 40) { $0.hasPrefix("Bo confirmed since 20") }
            #expect(present.hasSuffix("Z"))
            nodes[0].interrupt()
            #expect(try watcher.finish(within: Program.promptly).status == 0)
            #expect(try nodes[0].finish(within: Program.promptly).status == 0)
        }

        @Test func `a short Python program can accept an invitation`() throws {
            let folder = try Folder()
            let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
            let example = try exampleOnPage("accept.py")
            let node = try bo.start("run", "--invisible")
            try node.waitForControl(of: bo)
            let host = try ada.start("invite", "--yes", "--json")
            let text = try unwrap(try host.fact()["invitation"]?.text)
            let joined = try Program(
                ["python3", example, bo.path], input: .text("\(text)\n"), program: "/usr/bin/env"
            ).finish(within: 60)
            #expect(joined.status == 0, "\(joined)")
            #expect(joined.lines.first?.hasPrefix("Compare: Ada ") == true)
            #expect(joined.lines.last == "Ada")
            #expect(try host.finish().status == 0)
            node.interrupt()
            #expect(try node.finish(within: Program.promptly).status == 0)
        }

        @Test func `sends the same events to the control socket that it prints`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run", "--json")
            try node.waitForControl(of: home)
            let client = try ControlClient(home)
            client.write(Array(#"{"request":{"do":"events"}}"#.utf8) + [0x0a])
            // The first event: the node becomes visible after its gap.
            let line = try #require(try JSON(parsing: Array(client.answer().utf8)).object)
            node.interrupt()
            let event = try #require(line["fact"]?.object?["event"]?.object)
            #expect(event["schema"]?.integer == 1)
            #expect(event.names == eventNames[event["event"]?.text ?? ""])
            #expect(try node.finish(within: Program.promptly).status == 0)
        }
    }

    /// Returns the path of a Python example, which the page about the control socket shows without its first lines.
    private func exampleOnPage(_ name: String) throws -> String {
        let example =
            #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Examples/python/\(name)"
        let program = String(decoding: try bytesOfFile(example), as: UTF8.self)
        let page = try bytesOfFile(
            #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
                + "/Sources/InklingCommand/README.md")
        let body = try #require(program.firstRange(of: "import json"))
        #expect(String(decoding: page, as: UTF8.self).contains("```python\n\(program[body.lowerBound...])```\n"))
        return example
    }

    /// A connection to a control socket that can send any bytes.
    private final class ControlClient {
        private let descriptor: Int32

        init(_ home: Home) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
                for (index, byte) in "\(home.path)/control".utf8.enumerated() { unsafe target[index] = byte }
            }
            let status = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { [descriptor] in
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(status == 0)
        }

        deinit { close(descriptor) }

        func write(_ bytes: [UInt8]) {
            _ = unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }

        /// Waits, and returns what arrives until the node closes the connection.
        func rest(after milliseconds: Int32 = 0) -> String {
            // No event is asked for, so this waits for the whole time.
            var nothing = pollfd(fd: descriptor, events: 0, revents: 0)
            unsafe poll(&nothing, 1, milliseconds)
            var received: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { return String(decoding: received, as: UTF8.self) }
                received += chunk[..<count]
            }
        }

        /// Waits for the reply: `closed`, `failed` with the status, or the line itself.
        func answer(within milliseconds: Int32 = 20_000) -> String {
            var received: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            var patience = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while !received.contains(0x0a) {
                guard unsafe poll(&patience, 1, milliseconds) > 0 else { return "silence" }
                let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
                guard count > 0 else { return received.isEmpty ? "closed" : "a line that is cut off" }
                received += chunk[..<count]
            }
            let line = Array(received.prefix { $0 != 0x0a })
            let failure = (try? JSON(parsing: line))?.object?["failed"]?.object
            return failure?["status"]?.integer.map { "failed \($0)" } ?? String(decoding: line, as: UTF8.self)
        }
    }
#endif

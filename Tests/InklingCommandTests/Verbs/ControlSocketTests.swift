#if Node
    import InklingJSON
    import InklingProgramTesting
    import InklingTesting
    import Testing

    @testable import InklingCommand

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @Suite(.runsPrograms) struct `The control socket of a running node` {
        @Test func `rejects hostile messages at the control socket, and keeps running`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run")
            try node.waitForControl(of: home)
            for input in try hostileInputs("control-message") {
                let socket = try ControlClient(home.path)
                socket.write(input.bytes)
                #expect(socket.answer() == input.refusal, "\(input)")
            }
            let request = #"{"request":{"do":"status"}}"#
            for unfinished in [[], Array(request.utf8), Array("\(request)\n\(request)\nnonsense\n".utf8)] {
                try ControlClient(home.path).write(unfinished)
            }
            let silent = try (0..<8).map { _ in try ControlClient(home.path) }
            let status = try home.run("status")
            #expect(status.status == 0, "\(status)")
            #expect(silent.count == 8)
            node.interrupt()
            #expect(try node.finish().status == 0)
        }

        @Test func `clients that follow events leave a place for status`() throws {
            let folder = try Folder()
            let (home, _) = try acquaintances(in: folder)
            let node = try home.start("run", "--invisible")
            try node.waitForControl(of: home)
            let request = Array(#"{"request":{"do":"presence"}}"#.utf8) + [0x0a]
            let followers = try (0..<ControlPlaces.requestLimit).map { _ in try ControlClient(home.path) }
            // Each receives its contact, and then has a place.
            for follower in followers {
                follower.write(request)
                #expect(follower.answer().hasPrefix(#"{"fact":{"contact":"#))
            }
            let further = try ControlClient(home.path)
            further.write(request)
            #expect(further.answer() == "failed 69")
            let status = try home.run("status")
            #expect(status.status == 0, "\(status)")
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
            let present = try watcher.line { $0.hasPrefix("Bo confirmed since 20") }
            #expect(present.hasSuffix("Z"))
            nodes[0].interrupt()
            #expect(try watcher.finish().status == 0)
            #expect(try nodes[0].finish().status == 0)
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
            ).finish()
            #expect(joined.status == 0, "\(joined)")
            #expect(joined.lines.first?.hasPrefix("Compare: Ada ") == true)
            #expect(joined.lines.last == "Ada")
            #expect(try host.finish().status == 0)
            node.interrupt()
            #expect(try node.finish().status == 0)
        }

        @Test func `sends the same events to the control socket that it prints`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run", "--json")
            try node.waitForControl(of: home)
            let client = try ControlClient(home.path)
            client.write(Array(#"{"request":{"do":"events"}}"#.utf8) + [0x0a])
            // The moment of the subscription is unknown, so events are caused until the client has received one.
            try wait {
                for audience in ["nobody", "all"] {
                    _ = try ask(Request.Visible(audience), of: home.path)
                }
                return client.unread > 0
            }
            let line = try #require(try JSON(parsing: Array(client.answer().utf8)).object)
            node.interrupt()
            let event = try #require(line["fact"]?.object?["event"]?.object)
            #expect(event["schema"]?.integer == 1)
            #expect(event.names == eventNames[event["event"]?.text ?? ""])
            #expect(try node.finish().status == 0)
        }
    }

    /// Returns the path of a Python example, which the page about the control socket shows without its first lines.
    private func exampleOnPage(_ name: String) throws -> String {
        let example =
            #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Examples/python/\(name)"
        let program = String(decoding: try bytesOfFile(example), as: UTF8.self)
        let page = try bytesOfFile(
            #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
                + "/Sources/Program/InklingCommand/README.md")
        let body = try #require(program.firstRange(of: "import json"))
        #expect(String(decoding: page, as: UTF8.self).contains("```python no-run\n\(program[body.lowerBound...])```\n"))
        return example
    }
#endif

#if Node
    import InklingJSON
    import InklingKeys
    import InklingNode
    import InklingProgramTesting
    import InklingTesting
    import InklingVault
    import Testing

    @testable import InklingCommand

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @Suite(.runsPrograms) struct `inkling device` {
        @Test func `a second device joins over TCP, is listed, and is removed with a new generation`() throws {
            let folder = try Folder()
            // A device that joins, and a tag, have the real clock. No epoch that ends meanwhile matters here.
            let ada = try Home("Ada", in: folder, clock: .real)
            let before = try ada.contents()
            let primary = try ada.start("device", "add", "--yes", "--json")
            let shown = try primary.fact { $0["deviceLink"] != nil }
            let text = try #require(shown["deviceLink"]?.text)
            let port = try #require(shown["port"]?.integer)
            #expect(text.hasPrefix("INKLING:L:"))
            let home = "\(folder.path)/second"
            let key = "\(folder.path)/second.key"
            let joined = try Program.run(
                [
                    "device", "join", "-", "--at", "127.0.0.1:\(port)", "--home", home, "--key-file", key, "--yes",
                    "--trust-clock", "--json",
                ], input: .text(text + "\n"))
            #expect(joined.status == 0, "\(joined)")
            let end = try primary.finish()
            #expect(end.status == 0, "\(end)")
            #expect(end.output.contains("\"device\":1"), "\(end)")

            let listed = try ada.facts("device", "list")
            #expect(listed.map { $0["device"]?.integer } == [0, 1])
            #expect(listed.map { $0["primary"]?.flag } == [true, false])
            let own = try Program.run(["device", "list", "--json", "--home", home, "--key-file", key]).facts()
            #expect(own.map { $0["own"]?.flag } == [false, true])
            let second = try VaultFile(home: home).open(with: VaultKey.keyFile(at: key)).contents
            #expect(second.rootSeed == nil)
            #expect(try second.card == ada.contents().card)

            // The two meet without a further link, and each reports when. The second is a tag device, which shows
            // nothing yet.
            #expect(listed.allSatisfy { $0["lastMet"] == .null })
            let options = ["--home", home, "--key-file", key]
            let nodes = [try ada.start("run", "--json"), try Program(["run", "--json", "--tag"] + options)]
            try nodes[1].waitForControl(at: "\(home)/control")
            try wait {
                try ask(Request.Devices(), of: home).contains { $0.lastMet != nil }
            }
            #expect(try ada.facts("device", "list").map { $0["lastMet"]?.text != nil } == [false, true])
            #expect(try Program.run(["status", "--json"] + options).facts().first?["owner"]?.text == "near-owner")
            #expect(try Program.run(["status"] + options).output.contains("owner     near: "))
            #expect(try ada.facts("status").first?["owner"] == .null)
            for node in nodes { node.interrupt() }
            for node in nodes { #expect(try node.finish().status == 0) }

            // A command for the primary device only.
            let refused = try Program.run(["backup", "\(folder.path)/b", "--home", home, "--key-file", key])
            #expect(refused.status == 78)
            #expect(refused.errors.contains("not the primary device"))
            #expect(try ada.run("device", "remove", "9").status == 65)
            #expect(try ada.facts("device", "remove", "1").first?["device"]?.integer == 1)
            #expect(try ada.facts("device", "list").map { $0["device"]?.integer } == [0])
            #expect(try ada.contents().audiences[0].generation > before.audiences[0].generation)
        }

        @Test func `a device link that nobody has used says how to show another one`() throws {
            let folder = try Folder()
            // A minute lasts a second.
            let ada = try Home(initialising: "Ada", in: folder, clock: "60@\(currentTime())")
            let ended = try ada.run("device", "add", "--minutes", "1")
            #expect(ended.status == 69, "\(ended)")
            #expect(
                ended.errors.contains("the device link expired unused\n  Create a new one with: inkling device add"))
        }

        /// Covers INK-RSP-002, INK-RSP-008.
        @Test func `neither the primary device nor one with a demonstration clock runs as a tag`() throws {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder, clock: .real)
            let primary = try ada.run("run", "--tag", "--trust-clock")
            #expect(primary.status == 64)
            #expect(primary.errors.contains("holds your identity, so it is your primary device"), "\(primary)")
            #expect(primary.errors.contains("inkling device add --home"))
            let demo = ["--home", "\(folder.path)/demo", "--key-file", "\(folder.path)/demo.key"]
            let made = try Program.run(["init", "--name", "Bo", "--demo-clock", "60@1785600000"] + demo)
            #expect(made.status == 0)
            let fast = try Program.run(["run", "--tag", "--demo-clock"] + demo)
            #expect(fast.status == 64)
            #expect(fast.errors.contains("--tag cannot be combined with --demo-clock"))
            let config = try folder.write("tag.toml", "[node]\ntag = true\n".utf8)
            let configured = try Program.run(["run", "--config", config, "--demo-clock"] + demo)
            #expect(configured.status == 64)
            #expect(configured.errors.contains("demonstration clock, with which"), "\(configured)")
        }

        @Test func `an invitation is no device link, and a device link is no card and no invitation`() throws {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder)
            let joined = try Program.run(["device", "join", try ada.card(), "--home", "\(folder.path)/x"])
            #expect(joined.status == 65)
            #expect(joined.errors.contains("not a device link"))
            #expect(!exists("\(folder.path)/x"))
            let occupied = try ada.run("device", "join", try ada.card())
            #expect(occupied.status == 78)
        }
    }
#endif

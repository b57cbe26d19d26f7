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

    /// The members of every event of `inkling run --json`, in order.
    let eventNames: [String: [String]] = [
        "visibility": ["schema", "event", "to", "audience", "contact", "id", "time", "unixMilliseconds"],
        "visible": ["schema", "event", "technology", "epoch", "time", "unixMilliseconds"],
        "silent": ["schema", "event", "technology", "reason", "time", "unixMilliseconds"],
        "presence": ["schema", "event", "contact", "id", "presence", "time", "unixMilliseconds"],
        "arrived": ["schema", "event", "contact", "id", "time", "unixMilliseconds"],
        "left": ["schema", "event", "contact", "id", "time", "unixMilliseconds"],
        "plan": [
            "schema", "event", "contact", "id", "transport", "completes", "refused", "time", "unixMilliseconds",
        ],
        "confirmed": ["schema", "event", "contact", "id", "technology", "milliseconds", "time", "unixMilliseconds"],
        "hand-over": ["schema", "event", "contact", "id", "technology", "from", "time", "unixMilliseconds"],
        "replay-suspected": ["schema", "event", "contact", "id", "time", "unixMilliseconds"],
        "renewed": ["schema", "event", "contact", "id", "time", "unixMilliseconds"],
        "message": ["schema", "event", "contact", "id", "text", "time", "unixMilliseconds"],
        "delivered": ["schema", "event", "contact", "id", "message", "time", "unixMilliseconds"],
        "expired": ["schema", "event", "contact", "id", "message", "time", "unixMilliseconds"],
        "trouble": ["schema", "event", "contact", "id", "what", "refusal", "time", "unixMilliseconds"],
    ]

    let statusNames = [
        "visible", "visibility", "epoch", "visibleUntil", "silence", "silenceCause", "technologies", "contacts",
        "unfinished",
        "present", "sessions",
        "refusedMessages", "certifiedUntil", "unprotected", "antennas", "owner",
    ]

    extension Program {
        /// Waits until the program has printed objects that fit, in any order.
        func awaitFacts(_ wanted: (JSONObject) -> Bool...) throws {
            var missing = wanted
            while !missing.isEmpty {
                let next = try fact()
                missing.removeAll { $0(next) }
            }
        }
    }

    /// Returns whether an event reports that a node shows itself.
    func isVisible(_ event: JSONObject) -> Bool { event["event"]?.text == "visible" }

    /// Returns whether an event reports that a contact is confirmed.
    func isConfirmed(_ event: JSONObject) -> Bool {
        event["event"]?.text == "presence" && event["presence"]?.text == "confirmed"
    }

    @Suite(.runsPrograms) struct `inkling run` {
        @Test func `two nodes recognise each other, and commands reach them while they run`() throws {
            let folder = try Folder()
            let (ada, bo) = try acquaintances(in: folder)
            // A contact that must be present for an hour before it counts as arrived does not arrive in this test.
            let first = try ada.start("run", "--json", "--arrive-after", "3600")
            let second = try bo.start("run", "--json")
            for node in [first, second] { try node.awaitFacts(isVisible, isConfirmed) }

            let status = try ada.facts("status")
            #expect(status.map(\.names) == [statusNames, contactNames])
            #expect(status.first?["visible"]?.flag == true)
            #expect(status.first?["silence"] == .null)
            #expect(status.first?["present"]?.integer == 1)
            #expect(status.last?["presence"]?.text == "confirmed")
            for name in ["since", "lastHeard", "leaves"] { #expect(status.last?[name]?.text?.hasSuffix("Z") == true) }
            #expect(status.last?["by"]?.list?.contains("session") == true)
            let spoken = try ada.run("status").output
            #expect(spoken.contains("node      visible; the next identifiers follow at 20"), "\(spoken)")
            #expect(spoken.contains("contacts  1, 1 present\n"))
            let line = try unwrap(spoken.split(separator: "\n").last)
            for words in ["confirmed   since 20", "Z, last heard 20", "Z by session", "; leaves 20"] {
                #expect(line.contains(words), "\(line)")
            }
            let explained = try ada.run("explain", "Bo").output
            #expect(explained.contains("Bo is confirmed: a handshake proved it "))
            #expect(!explained.contains("epoch 1") && !explained.contains("epoch 2"), "\(explained)")

            let sent = try ada.facts("send", "Bo", "Tea? \u{1b}[2J ☕")
            #expect(sent.map(\.names) == [["delivered", "contact", "message"]])
            #expect(sent.first?["delivered"]?.flag == true)
            let message = try second.fact { $0["event"]?.text == "message" }
            #expect(message["contact"]?.text == "Ada")
            #expect(message["schema"]?.integer == 1)
            #expect(message["id"] == (try bo.facts("contacts", "list").first?["id"]))
            #expect(message["text"]?.text == "Tea? \u{1b}[2J ☕")
            let long = try ada.run("send", "Bo", String(repeating: "x", count: 8193))
            #expect(long.status == 65)
            #expect(long.errors.contains("a text must have 1 to 8192 bytes"))
            #expect(try ada.run("send", "Bo", "").status == 65)
            #expect(try ada.run("send", "Eve", "hello").status == 65)

            #expect(try ada.facts("contacts", "list").count == 1)
            #expect(try ada.facts("contacts", "rename", "Bo", "Bob").first?["contact"]?.text == "Bob")
            #expect(try ada.facts("card", "export").count == 1)
            #expect(try ada.run("recover", "--clock").status == 69)

            let again = try ada.run("run")
            #expect(again.status == 69)
            #expect(again.errors.contains("in use by process \(first.number); stop it first"))

            let listed = try bo.facts("messages", "list")
            #expect(listed.map { $0["state"]?.text } == ["unread"])
            #expect(try bo.facts("messages", "read").map { $0["text"]?.text } == ["Tea? \u{1b}[2J ☕"])
            #expect(try bo.facts("messages", "list", "--with", "Ada").map { $0["state"]?.text } == ["read"])
            #expect(try bo.run("messages", "read").output == "No unread messages.\n")

            // After one of them has left, a text waits for it.
            second.interrupt()
            let gone = try second.finish()
            #expect(gone.status == 0)
            #expect(try gone.facts().contains { $0["event"]?.text == "arrived" })
            let late = try ada.run("send", "Bob", "Still there?")
            #expect(late.status == 0)
            #expect(late.output.hasPrefix("Queued for Bob (message "), "\(late.output)")
            let waiting = try ada.run("send", "Bob", "Still there?", "--wait", "1")
            #expect(waiting.status == 1)
            #expect(waiting.errors.contains("it waits in the queue"))
            #expect(try ada.facts("messages", "list").map { $0["state"]?.text } == ["delivered", "queued", "queued"])

            first.interrupt(SIGTERM)
            let ended = try first.finish()
            #expect(ended.status == 0)
            #expect(ended.errors.isEmpty)
            for fact in try ended.facts() {
                #expect(fact.names == eventNames[fact["event"]?.text ?? ""], "\(fact.names)")
            }
            #expect(try ended.facts().last?["reason"]?.text == "stopped")
            #expect(try ended.facts().contains { $0["presence"]?.text == "confirmed" })
            #expect(try !ended.facts().contains { $0["event"]?.text == "arrived" })
        }

        /// Covers INK-PRF-001.
        @Test func `nodes of one profile meet, and nodes of different profiles do not see each other`() throws {
            let folder = try Folder()
            let text = try Program.run("profile", "new", "Example").output
            let file = try folder.write("profile.json", Array(text.utf8))
            let ada = try Home(initialising: "Ada", in: folder, "--profile", file)
            let bo = try Home(initialising: "Bo", in: folder, "--profile", file)
            let cy = try Home("Cy", in: folder)
            try acquaint(ada, bo)
            try acquaint(ada, cy)
            let other = try cy.start("run", "--json", "--bluetooth", "off")
            _ = try other.fact { $0["event"]?.text == "visible" }
            let first = try ada.start("run", "--json", "--bluetooth", "off")
            let second = try bo.start("run", "--json", "--bluetooth", "off")
            for node in [first, second] {
                _ = try node.fact { $0["event"]?.text == "presence" && $0["presence"]?.text == "confirmed" }
            }
            // Nodes that can meet have met by now, so a contact that is missing has not been seen.
            let seen = try ada.facts("contacts", "list")
            #expect(seen.first { $0["contact"]?.text == "Bo" }?["presence"]?.text == "confirmed")
            #expect(seen.first { $0["contact"]?.text == "Cy" }?["presence"]?.text == "unseen")
            #expect(try cy.facts("contacts", "list").first?["presence"]?.text == "unseen")
            for node in [first, second, other] { node.interrupt() }
            #expect(try !other.finish().facts().contains { ["presence", "confirmed"].contains($0["event"]?.text) })
            for node in [first, second] { #expect(try node.finish().status == 0) }
        }

        /// `NodeStopTests` shows that a stop waits for no timer.
        @Test func `ends on Ctrl-C, and removes the socket`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run")
            try node.waitForControl(of: home)
            var status = stat()
            try unsafe #require(stat("\(home.path)/control", &status) == 0)
            #expect(status.st_mode == S_IFSOCK | 0o600)
            node.interrupt()
            let ended = try node.finish()
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.errors.isEmpty)
            #expect(!exists("\(home.path)/control"))
            #expect(try home.run("contacts", "list").status == 0)
        }

        @Test func `a node that waits for its first epoch does not report that it was stopped`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run")
            try node.waitForControl(of: home)
            let status = try #require(try home.facts("status").first)
            #expect(status["visible"]?.flag == true || status["silence"]?.text == "between two epochs")
        }

        @Test func `an invisible node shows nothing and says so`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run", "--invisible", "--json")
            try node.waitForControl(of: home)
            let status = try #require(try home.facts("status").first)
            #expect(status["visible"]?.flag == false)
            #expect(status["epoch"] == .null)
            #expect(status["silence"]?.text == "invisible, as asked")
            let cause = try #require(status["silenceCause"]?.object)
            #expect(cause["cause"]?.text == "invisible" && cause["passes"]?.flag == false)
            let spoken = try home.run("status").output
            #expect(spoken.hasPrefix("node      silent: invisible, as asked\n"))
            // The command that is suggested ends the silence.
            let command = try #require(cause["remedies"]?.list?.first?.object?["command"]?.text)
            #expect(command == "inkling visible all --home \(home.path)")
            #expect(spoken.contains("          to be visible to all contacts: \(command)\n"))
            #expect(try Program.run(command.split(separator: " ").dropFirst().map(String.init)).status == 0)
            try node.awaitFacts(isVisible)
            #expect(try home.facts("status").first?["silenceCause"] == .null)
        }

        @Test func `names a changed network as the reason for its silence`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            // Its own network namespace can be changed: one end of a veth pair is up, and gets another hardware address.
            let isolate = ["-n"] + (geteuid() == 0 ? [] : ["-r"])
            let command = ([Program.path] + home.words(["run", "--json"])).joined(separator: " ")
            let setup =
                "ip link set lo up; ip link add near0 type veth peer name near1; ip link set near0 up; ip link set near1 up"
            let change = "read line <&3; ip link set near0 address 02:00:00:00:00:77"
            let node = try Program(
                isolate + [
                    "/bin/sh", "-c",
                    "\(setup); ip address add 192.0.2.1/24 dev near0; exec 3<&0; (\(change)) & exec \(command)",
                ],
                input: .later, program: "/usr/bin/unshare")
            _ = try node.fact { $0["event"]?.text == "visible" }
            node.send("now\n")
            // An epoch may end meanwhile, which is another reason.
            _ = try node.fact {
                $0["event"]?.text == "silent"
                    && $0["reason"]?.text == "the network changed; visible again after a short gap"
            }
            node.interrupt()
            _ = try node.finish()
        }

        @Test func `starts after a node that was killed`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let killed = try home.start("run")
            try killed.waitForControl(of: home)
            killed.interrupt(SIGKILL)
            #expect(try killed.finish().status == -SIGKILL)
            #expect(exists("\(home.path)/control"))
            #expect(try home.run("contacts", "list").status == 0)
            let next = try home.start("run")
            try next.waitForControl(of: home)
        }

        @Test func `rejects a home whose path is too long for a socket`() throws {
            let folder = try Folder()
            let home = try Home(String(repeating: "x", count: 60), in: folder)
            let deep = "\(home.path)/\(String(repeating: "y", count: 60))"
            let made = try Program.run(
                "init", "--name", "Ada", "--trust-clock", "--home", deep, "--key-file", home.keyFile)
            #expect(made.status == 0)
            let outcome = try Program.run("run", "--home", deep, "--key-file", home.keyFile)
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("longer than a Unix socket allows"))
        }

        @Test func `ends without a message when its reader goes away`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let node = try home.start("run", "--json")
            try node.waitForControl(of: home)
            node.stopReading()
            // It notices at its next event.
            _ = try home.run("visible", "nobody")
            let outcome = try node.finish()
            #expect(outcome.errors.isEmpty)
            #expect(outcome.status == 0)
        }
    }
#endif

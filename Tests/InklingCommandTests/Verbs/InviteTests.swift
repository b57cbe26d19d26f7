#if Node
    import InklingJSON
    import InklingKeys
    import InklingProgramTesting
    import InklingTesting
    import Testing

    @testable import InklingAccess
    @testable import InklingCommand

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @Suite(.runsPrograms) struct `inkling invite and accept` {
        private let invitationNames = ["invitation", "port", "expires"]
        private let introductionNames = ["name", "fingerprint", "known"]

        @Test(arguments: [false, true])
        func `two people become contacts, over multicast or with an address`(hasAddress: Bool) throws {
            let folder = try Folder()
            let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
            let host = try ada.start("invite", "--yes", "--json", "--minutes", "2")
            let invitation = try host.fact()
            #expect(invitation.names == invitationNames)
            let text = try unwrap(invitation["invitation"]?.text)
            #expect(text.hasPrefix("INKLING:I:"))
            let port = try unwrap(invitation["port"]?.integer)
            let address = hasAddress ? ["--at", "127.0.0.1:\(port)"] : []
            let joined = try Program.run(["accept", text, "--yes", "--json"] + address + bo.options)
            #expect(joined.status == 0, "\(joined)")
            let hosted = try host.finish()
            #expect(hosted.status == 0, "\(hosted)")

            let questions = [try joined.facts()[0], try hosted.facts()[1]]
            #expect(questions.map(\.names) == [["question"], ["question"]])
            let introductions = questions.compactMap { $0["question"]?.object }
            #expect(introductions.map(\.names) == [introductionNames, introductionNames])
            #expect(introductions.map { $0["name"]?.text } == ["Ada", "Bo"])
            #expect(introductions[0]["fingerprint"] == introductions[1]["fingerprint"])
            #expect(introductions.map { $0["known"]?.flag } == [false, false])
            for (home, name) in [(ada, "Bo"), (bo, "Ada")] {
                let contact = try #require(try home.facts("contacts", "list").first)
                #expect(contact.names == contactNames)
                #expect(contact["contact"]?.text == name)
                #expect(contact["met"]?.flag == true)
                #expect(contact["recognisedUntil"]?.text != nil)
            }

            // An invitation works once.
            let again = try Program.run(["accept", text, "--yes", "--at", "127.0.0.1:\(port)"] + bo.options)
            #expect(again.status == 69)
            #expect(again.errors.contains("no link could be made"))
        }

        /// Covers INK-ROT-011.
        @Test func `an invitation that is open when an epoch ends shows the port of the next`() throws {
            // An epoch ends in 20 seconds. If it ends before the invitation is shown, the next one serves.
            let folder = try Folder(clock: DemonstrationClock(start: DemonstrationClock.start + 800))
            let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
            let host = try ada.start("invite", "--yes", "--json")
            let invitation = try host.fact()
            let next = try unwrap(try host.fact { $0.names == ["port"] }["port"]?.integer)
            #expect(invitation["port"]?.integer != next)
            let text = try unwrap(invitation["invitation"]?.text)
            let joined = try bo.run("accept", text, "--yes", "--json", "--at", "127.0.0.1:\(next)")
            #expect(joined.status == 0, "\(joined)")
            #expect(try host.finish().status == 0)
        }

        @Test func `contacts that use an invitation again stay contacts`() throws {
            let folder = try Folder()
            let (ada, bo) = try acquaintances(in: folder)
            let host = try ada.start("invite", "--yes", "--json")
            let invitation = try host.fact()
            let text = try unwrap(invitation["invitation"]?.text)
            let port = try unwrap(invitation["port"]?.integer)
            let joined = try Program.run(
                ["accept", text, "--yes", "--json", "--at", "127.0.0.1:\(port)"] + bo.options)
            #expect(joined.status == 0, "\(joined)")
            #expect(try joined.facts().first?["question"]?.object?["known"]?.flag == true)
            #expect(try host.finish().status == 0)
            for home in [ada, bo] {
                #expect(try home.facts("contacts", "list").map { $0["met"]?.flag } == [true])
            }
        }

        @Test(arguments: [true, false])
        func `two people do not become contacts unless both agree`(hostAgrees: Bool) throws {
            let folder = try Folder()
            let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
            let host = try Program(["invite"] + (hostAgrees ? ["--yes"] : []) + ada.options)
            let text = try host.line { $0.hasPrefix("INKLING:I:") }
            let waiting = try host.line()
            let port = try #require(waiting.split { !$0.isNumber }.last)
            #expect(waiting == "Waiting 10 minutes for the other side, on port \(port).")
            let joined = try Program.run(
                ["accept", text, "--at", "127.0.0.1:\(port)"] + (hostAgrees ? [] : ["--yes"]) + bo.options)
            let hosted = try host.finish()
            #expect(joined.status == 1, "\(joined)")
            #expect([1, 69].contains(hosted.status), "\(hosted)")
            #expect((hostAgrees ? joined : hosted).errors.contains("declined: standard input is not a terminal"))
            #expect(try ada.facts("contacts", "list").isEmpty)
            #expect(try bo.facts("contacts", "list").isEmpty)
        }

        @Test func `rejects an invitation that is incomplete, mistyped, of another kind or expired`() throws {
            let folder = try Folder()
            let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
            let host = try ada.start("invite", "--json")
            let text = try unwrap(try host.fact()["invitation"]?.text)
            let wrong = text.dropLast(4) + (text.hasSuffix("AAAA") ? "BBBB" : "AAAA")
            for (garbled, reason) in [
                (String(wrong), "the invitation is mistyped: one or more of its 105 characters are wrong"),
                (String(text.dropLast(20)), "the invitation is incomplete: 85 characters found, 105 expected"),
                (text + "AAAA", "the invitation is too long: 109 characters found, 105 expected"),
                ("INKLING:I:", "the invitation is incomplete: 10 characters found, 105 expected"),
                (text.dropLast() + "1", "the invitation is mistyped: character 105 is '1'"),
                ("hello", "the text must begin with INKLING:"),
            ] as [(String, String)] {
                let outcome = try bo.run("accept", garbled)
                #expect(outcome.status == 65, "\(outcome)")
                #expect(outcome.errors.contains(reason), "\(outcome)")
            }
            // A wrapped invitation is joined again. The command then fails because nothing listens at the address.
            let pieces = stride(from: 0, to: text.count, by: 40).map { String(text.dropFirst($0).prefix(40)) }
            let lines = "Hello Bo!\n" + pieces.joined(separator: "\n") + "\nWaiting 10 minutes for the other side\n"
            let address = ["--at", "127.0.0.1:1"]
            for (words, input) in [(pieces, Program.Input.nothing), (["-"], .text(lines))] {
                let outcome = try Program.run(["accept"] + words + address + bo.options, input: input)
                #expect(outcome.status == 69, "\(outcome)")
                #expect(outcome.errors.contains("no link could be made"), "\(outcome)")
            }
            let card = try bo.run("accept", try bo.card())
            #expect(card.status == 65)
            #expect(card.errors.contains("inkling card add"))
            let added = try bo.run("card", "add", text)
            #expect(added.status == 65)
            #expect(added.errors.contains("inkling accept"))
            // Version, commitment, secret, TCP, and an expiry in the first minute of 1970.
            let expired = [1] + [UInt8](repeating: 7, count: 48) + [0, 4, 0, 0, 0, 1]
            let late = try bo.run("accept", try TextForm.encode(.invitation, expired.span))
            #expect(late.status == 65, "\(late)")
            #expect(late.errors.contains("the invitation is invalid: it has expired\n  Ask for a new one."), "\(late)")
        }

        @Test func `without a network it says why the invitation cannot be found and what the other side must add`()
            throws
        {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder)
            // Its own network namespace has no interface but loopback.
            let isolate = ["-n"] + (geteuid() == 0 ? [] : ["-r"])
            let host = try Program(
                isolate + [Program.path, "invite", "--minutes", "1"] + ada.options, program: "/usr/bin/unshare")
            let text = try host.line { $0.hasPrefix("INKLING:I:") }
            #expect(text.count == 105)
            let waiting = try host.line()
            #expect(waiting.hasPrefix("Waiting 1 minute for the other side, on port "))
            let warning = try host.line()
            let reason = "Warning: multicast does not work here: there is no network interface to use; "
            #expect(warning.hasPrefix("\(reason)the other side must add --at HOST:"), "\(warning)")
            host.interrupt()
        }

        @Test func `asks again until the answer is y or n, and takes the end of the input as n`() throws {
            let folder = try Folder()
            let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
            for (answers, status) in [("maybe\n\nY\n", 0), ("perhaps\nn\n", 1), ("what?\n", 1)] as [(String, Int32)] {
                let host = try ada.start("invite", "--yes", "--json")
                let invitation = try host.fact()
                let words = [
                    Program.path, "accept", invitation["invitation"]?.text ?? "", "--at",
                    "127.0.0.1:\(invitation["port"]?.integer ?? 0)",
                ]
                let command = (words + bo.options).joined(separator: " ")
                // `script` runs the command on a terminal, whose input ends with that of `script`.
                let joined = try Program(
                    ["-qec", command, "/dev/null"], input: .text(answers), program: "/usr/bin/script"
                ).finish()
                _ = try host.finish()
                #expect(joined.status == status, "\(joined)")
                let questions = joined.output.components(of: "Does the other person see the same? [y/n]")
                #expect(questions == answers.filter { $0 == "\n" }.count + (answers == "what?\n" ? 1 : 0), "\(joined)")
            }
        }

        @Test func `names the width that a QR code needs when the terminal is too narrow`() throws {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder)
            let command = ([Program.path, "card", "show"] + ada.options).joined(separator: " ")
            for (columns, isShown) in [(200, true), (40, false)] {
                let shown = try Program(
                    ["-qec", "stty cols \(columns); \(command)", "/dev/null"], program: "/usr/bin/script"
                ).finish()
                #expect(shown.output.contains("▀") == isShown, "\(columns)")
                #expect(shown.output.contains("columns, and this terminal has 40; widen it") != isShown, "\(shown)")
            }
        }

        @Test func `distinguishes an invalid address from one at which nothing listens`() throws {
            let folder = try Folder()
            let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
            let host = try ada.start("invite", "--json")
            let text = try unwrap(try host.fact()["invitation"]?.text)
            for (address, status) in [("127.0.0.1", 64), ("127.0.0.1:0", 64), ("[::1:5", 64), ("127.0.0.1:1", 69)]
                as [(String, Int32)]
            {
                let outcome = try bo.run("accept", text, "--at", address)
                #expect(outcome.status == status, "\(outcome)")
            }
        }

        @Test func `a running node has one invitation at a time, until its command ends`() throws {
            let folder = try Folder()
            let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
            let node = try ada.start("run", "--json")
            try node.waitForControl(of: ada)
            let first = try ada.start("invite", "--yes", "--json")
            _ = try first.fact()
            let second = try ada.run("invite", "--yes", "--json")
            #expect(second.status == 69)
            #expect(second.errors.contains("an invitation is open already"))
            first.interrupt()
            #expect(try first.finish().status == -SIGINT)

            // The node soon notices that the first command has ended.
            try wait {
                let third = try #require(try ControlSocket.connect(to: ControlPlace(home: ada.path)))
                #expect(third.send(.request(Request.Invite(minutes: 1).json, secret: nil)))
                guard case .fact? = third.receive(InvitationFact.isFollowedBySecret) else { return false }
                #expect(try ada.run("invite").errors.contains("an invitation is open already"))
                return true
            }
            #expect(try bo.facts("contacts", "list").isEmpty)
            node.interrupt()
            #expect(try node.finish().status == 0)
        }
    }

    extension String {
        /// The number of times that the text contains another.
        fileprivate func components(of part: String) -> Int {
            var count = 0
            var rest = self[...]
            while let range = rest.firstRange(of: part) {
                count += 1
                rest = rest[range.upperBound...]
            }
            return count
        }
    }
#endif

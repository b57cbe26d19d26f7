#if Node
    import InklingJSON
    import InklingKeys
    import InklingTesting
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    @Suite(.serialized) struct `inkling invite and accept` {
        private let invitationNames = ["invitation", "port", "expires"]
        private let introductionNames = ["name", "fingerprint", "known"]

        @Test(arguments: [false, true])
        func `two people become contacts, over multicast and with an address`(hasAddress: Bool) throws {
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

        @Test func `contacts that meet again by an invitation stay contacts`() throws {
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
        func `without a person on either side nobody becomes a contact`(hostAgrees: Bool) throws {
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
            #expect(
                (hostAgrees ? joined : hosted).errors.contains("nobody is here to compare the fingerprint; declined"))
            #expect(try ada.facts("contacts", "list").isEmpty)
            #expect(try bo.facts("contacts", "list").isEmpty)
        }

        @Test func `an invitation that is garbled, of another kind or expired is bad data`() throws {
            let folder = try Folder()
            let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
            let host = try ada.start("invite", "--json")
            let text = try unwrap(try host.fact()["invitation"]?.text)
            for garbled in [String(text.dropLast(4)) + "AAAA", String(text.dropLast(20)), "INKLING:I:", "hello"] {
                let outcome = try bo.run("accept", garbled)
                #expect(outcome.status == 65, "\(outcome)")
                #expect(outcome.errors.contains("the text is refused: "))
            }
            let card = try bo.run("accept", try bo.card())
            #expect(card.status == 65)
            #expect(card.errors.contains("inkling card add"))
            let added = try bo.run("card", "add", text)
            #expect(added.status == 65)
            #expect(added.errors.contains("inkling accept"))
            // Version, commitment, secret, TCP, and an end in the first minute of 1970.
            let expired = [1] + [UInt8](repeating: 7, count: 48) + [0, 4, 0, 0, 0, 1]
            let late = try bo.run("accept", try TextForm.encode(.invitation, expired.span))
            #expect(late.status == 65, "\(late)")
            #expect(late.errors.contains("It has expired: ask for a new one."), "\(late)")
        }

        @Test func `addresses that lead nowhere are told apart`() throws {
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

        @Test func `a running node opens invitations for commands, one at a time, until they give up`() throws {
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

            // The node notices soon that the first command is gone.
            var third = try ada.start("invite", "--yes", "--json")
            for _ in 0..<50 {
                if (try? third.fact()) != nil { break }
                third = try ada.start("invite", "--yes", "--json")
            }
            #expect(try ada.run("invite").errors.contains("an invitation is open already"))
            third.interrupt(SIGKILL)
            _ = try third.finish()
            #expect(try bo.facts("contacts", "list").isEmpty)
            node.interrupt()
            #expect(try node.finish(within: 2).status == 0)
        }
    }
#endif

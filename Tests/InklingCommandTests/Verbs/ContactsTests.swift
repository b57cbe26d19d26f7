import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.runsPrograms) struct `inkling contacts` {
    @Test func `contacts are listed, shown, renamed and removed`() throws {
        let folder = try Folder()
        let (ada, bo) = try acquaintances(in: folder)
        let listed = try #require(try ada.facts("contacts", "list").first)
        #expect(listed.names == contactNames)
        let id = try #require(listed["id"]?.text)
        #expect(try ada.facts("contacts", "show", "Bo") == [listed])
        #expect(try ada.facts("contacts", "show", id) == [listed])
        #expect(try ada.facts("contacts", "show", String(id.prefix(8))) == [listed])
        #expect(try ada.run("contacts", "show", "Bo").output.contains("name on the card    Bo\n"))
        #expect(try ada.run("contacts", "list").output.hasPrefix("Bo                  unseen      recognisable until "))

        let renamed = try ada.facts("contacts", "rename", "Bo", "Bo from work")
        #expect(renamed.map(\.names) == [["contact", "was"]])
        #expect(renamed.first?["was"]?.text == "Bo")
        #expect(try ada.facts("contacts", "show", "Bo from work").first?["cardName"]?.text == "Bo")
        let back = try ada.run("contacts", "rename", "Bo from work", "")
        #expect(back.output == "Bo from work is now called Bo.\n")

        #expect(
            try ada.facts("contacts", "remove", "Bo").map(\.names)
                == [["removed", "recognisesUsUntil", "audiences", "holdersOfGrants", "holdersWhomWeRecognise"]])
        #expect(try ada.facts("contacts", "list").isEmpty)
        #expect(try bo.facts("contacts", "list").count == 1)
    }

    @Test func `rejects a name that no contact has or that two contacts have`() throws {
        let folder = try Folder()
        let ada = try Home("Ada", in: folder)
        let first = try Home("Bo", in: folder)
        let other = try Folder()
        let second = try Home("Bo", in: other)
        try ada.add(first)
        try ada.add(second)
        for verb in [["contacts", "show"], ["contacts", "remove"], ["recover", "--reviewed"]] {
            let twice = try Program.run(verb + ["Bo"] + ada.options)
            #expect(twice.status == 65, "\(twice)")
            #expect(twice.errors.contains("2 contacts are called 'Bo'"))
            #expect(twice.errors.contains("inkling contacts list --json"))
            let unknown = try Program.run(verb + ["Eve\u{1b}[2J"] + ada.options)
            #expect(unknown.status == 65)
            #expect(unknown.errors.contains("there is no contact 'Eve"))
            #expect(!unknown.errors.contains("\u{1b}"))
        }
        // Seven characters of an id are too few.
        let id = try #require(try ada.facts("contacts", "list").first?["id"]?.text)
        #expect(try ada.run("contacts", "show", String(id.prefix(7))).status == 65)
        #expect(try ada.facts("contacts", "remove", id).count == 1)
        #expect(try ada.facts("contacts", "list").count == 1)
    }

    @Test func `suggests a contact for a misspelt name, and repeats --home in the hint`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        _ = try ada.facts("contacts", "rename", "Bo", "Bob from work")
        let outcome = try ada.run("contacts", "show", "bob form work")
        #expect(outcome.status == 65)
        #expect(
            outcome.errors.contains("there is no contact 'bob form work'; did you mean 'Bob from work'?"), "\(outcome)")
        #expect(outcome.errors.contains("inkling contacts list --home \(ada.path)\n"))
        #expect(!(try ada.run("contacts", "show", "Zoe").errors.contains("did you mean")))
    }

    @Test func `keeps emoji of several code points whole, and replaces other format characters`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        let family = "👩‍👩‍👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} ✌🏽"
        _ = try ada.facts("contacts", "rename", "Bo", family)
        #expect(try ada.run("contacts", "list").output.hasPrefix(family))
        _ = try ada.facts("contacts", "rename", family, "a\u{200d}b")
        #expect(try ada.run("contacts", "list").output.hasPrefix("a\u{fffd}b "))
    }

    @Test func `rejects a new name that cannot be shown, and keeps the old one`() throws {
        let folder = try Folder()
        let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
        try ada.add(bo)
        for name in [String(repeating: "x", count: 65), "a\u{1b}b"] {
            let outcome = try ada.run("contacts", "rename", "Bo", name)
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("a name must have at most 64 bytes"))
        }
        #expect(try ada.facts("contacts", "list").first?["contact"]?.text == "Bo")
    }
}

@Suite(.runsPrograms) struct `Verbs that need a running node` {
    @Test(arguments: [["status"], ["status", "--json"], ["send", "Bo", "Tea?", "--wait", "5"]])
    func `say how to start a node when none runs`(verb: [String]) throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let outcome = try Program.run(verb + home.options)
        #expect(outcome.status == 69)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("no node runs in \(home.path)"))
        #expect(outcome.errors.contains("inkling run --home \(home.path)"))
    }

    @Test func `the home of another user is reported as missing permission`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        // Root could enter any home, so it gives this one to another user and drops the privilege to enter it.
        let isRoot = geteuid() == 0
        if isRoot { unsafe #expect(chown(home.path, 65_534, 65_534) == 0) } else { unsafe chmod(home.path, 0) }
        defer { if !isRoot { unsafe chmod(home.path, 0o700) } }
        let privileges = "-dac_override,-dac_read_search"
        let outcome =
            try isRoot
            ? Program(
                ["--bounding-set", privileges, "--inh-caps", privileges, Program.path, "status", "--home", home.path],
                program: "/usr/bin/setpriv"
            ).finish() : Program.run("status", "--home", home.path)
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.errors.contains("cannot reach the node in \(home.path): Permission denied"))
    }
}

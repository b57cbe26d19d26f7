import InklingJSON
import InklingTesting
import Testing

@Suite struct `inkling contacts` {
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

        #expect(try ada.facts("contacts", "remove", "Bo").map(\.names) == [["removed"]])
        #expect(try ada.facts("contacts", "list").isEmpty)
        #expect(try bo.facts("contacts", "list").count == 1)
    }

    @Test func `a name that nobody has, and one that two have, are bad data`() throws {
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
            let nobody = try Program.run(verb + ["Eve\u{1b}[2J"] + ada.options)
            #expect(nobody.status == 65)
            #expect(nobody.errors.contains("there is no contact 'Eve"))
            #expect(!nobody.errors.contains("\u{1b}"))
        }
        // Too few characters of an id are no name of anybody.
        let id = try #require(try ada.facts("contacts", "list").first?["id"]?.text)
        #expect(try ada.run("contacts", "show", String(id.prefix(7))).status == 65)
        #expect(try ada.facts("contacts", "remove", id).count == 1)
        #expect(try ada.facts("contacts", "list").count == 1)
    }

    @Test func `a new name that cannot be shown is bad data and changes nothing`() throws {
        let folder = try Folder()
        let (ada, bo) = (try Home("Ada", in: folder), try Home("Bo", in: folder))
        try ada.add(bo)
        for name in [String(repeating: "x", count: 65), "a\u{1b}b"] {
            let outcome = try ada.run("contacts", "rename", "Bo", name)
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("a name has at most 64 bytes"))
        }
        #expect(try ada.facts("contacts", "list").first?["contact"]?.text == "Bo")
    }
}

@Suite struct `Verbs that need a running node` {
    @Test(arguments: [["status"], ["status", "--json"], ["send", "Bo", "Tea?"], ["send", "Bo", "Tea?", "--json"]])
    func `without one they are unavailable and say how to start it`(verb: [String]) throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let outcome = try Program.run(verb + home.options)
        #expect(outcome.status == 69)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("no node runs in \(home.path)"))
        #expect(outcome.errors.contains("inkling run --home \(home.path)"))
    }

    #if !Node
        @Test(arguments: [["run"], ["invite"], ["accept", "INKLING:I:AAAA"]])
        func `without the trait Node the network's verbs say so`(verb: [String]) throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let outcome = try Program.run(verb + home.options)
            #expect(outcome.status == 69)
            #expect(outcome.errors.contains("this program was built without the trait Node"))
            #expect(outcome.errors.contains("swift build --traits Node"))
        }
    #endif
}

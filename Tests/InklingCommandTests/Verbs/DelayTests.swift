import InklingJSON
import InklingNode
import InklingProgramTesting
import InklingTesting
import InklingVault
import Testing

@Suite(.runsPrograms) struct `inkling contacts delay` {
    @Test func `delays are set, shown, kept and dropped again`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        #expect(
            try ada.run("contacts", "delay", "Bo").output
                == "Bo arrives at once; leaves after 2 min of silence, or 30 s after a goodbye (the default).\n")
        #expect(
            try ada.run("contacts", "delay", "Bo", "--arrive", "20s", "--leave", "10m").output
                == "Bo arrives after 20 s; leaves after 10 min of silence, or 10 min after a goodbye.\n")
        #expect(try delays(ada, "--goodbye", "90") == [20, 600, 90])
        #expect(try delays(ada) == [20, 600, 90])
        #expect(try delays(ada, "--arrive", "1h") == [3600, 600, 90])
        #expect(
            try ada.run("contacts", "show", "Bo").output.contains("\ndelays              arrives after 1 h; leaves"))
        #expect(try ada.run("explain", "Bo").output.contains("\ndelays       arrives after 1 h; leaves after 10 min"))
        let shown = try #require(try ada.facts("contacts", "show", "Bo").first)
        #expect(shown.names == contactNames)
        #expect(shown["delays"]?.object?.names == ["arrive", "leave", "goodbye", "chosen"])
        #expect(shown["delays"]?.object?["chosen"]?.list?.compactMap(\.text) == ["arrive", "leave", "goodbye"])
        #expect(try ada.facts("explain", "Bo").first?["delays"] == shown["delays"])
        #expect(try ada.contents().contacts.first?.delays.leave == .seconds(600))
        // With --default, delays that are not given are dropped.
        #expect(try delays(ada, "--default", "--leave", "45s") == [0, 45, 45])
        #expect(try delays(ada, "--default") == [0, 120, 30])
        #expect(try ada.contents().contacts.first?.delays.isDefault == true)
    }

    @Test(
        arguments: [
            (["--arrive", "86401"], "--arrive must be 0 to 86400 seconds, got 86401"),
            (["--leave", "29s"], "--leave must be 30 to 86400 seconds, got 29"),
            (["--goodbye", "25h"], "--goodbye must be 30 to 86400 seconds, got 90000"),
            (["--leave", "soon"], "'soon'"), (["--leave", "-30"], "--leave"), (["--leave", "9999999h"], "'9999999h'"),
        ] as [([String], String)])
    func `rejects delays outside their ranges and what is no duration`(arguments: [String], message: String) throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        let outcome = try Program.run(["contacts", "delay", "Bo"] + arguments + ada.options)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains(message), "\(outcome)")
        #expect(try delays(ada) == [0, 120, 30])
    }

    @Test func `rejects somebody who is no contact`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        let outcome = try ada.run("contacts", "delay", "Zoe", "--leave", "60")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("there is no contact 'Zoe'"))
    }

    #if Node
        @Test func `a running node uses new delays at once, and rejects those that are out of range`() throws {
            let folder = try Folder()
            let (ada, bo) = try acquaintances(in: folder)
            let node = try ada.start("run", "--json", "--leave-after", "240")
            try node.waitForControl(of: ada)
            #expect(try delays(ada) == [0, 240, 240])
            #expect(try delays(ada, "--leave", "30", "--arrive", "1") == [1, 30, 30])
            let other = try bo.start("run", "--json")
            _ = try node.fact { $0["event"]?.text == "arrived" }
            other.interrupt()
            _ = try node.fact { $0["event"]?.text == "left" }
            #expect(try ada.run("explain", "Bo").output.contains(" ago, and has not come back"))
            node.interrupt()
            _ = try node.finish()
            #expect(try delays(ada) == [1, 30, 30])
        }
    #endif

    private func delays(_ home: Home, _ options: String...) throws -> [Int] {
        let outcome = try Program.run(["contacts", "delay", "Bo", "--json"] + options + home.options)
        try #require(outcome.status == 0, "\(outcome)")
        let fact = try #require(try outcome.facts().first?["delays"]?.object)
        return ["arrive", "leave", "goodbye"].compactMap { fact[$0]?.integer.map(Int.init) }
    }
}

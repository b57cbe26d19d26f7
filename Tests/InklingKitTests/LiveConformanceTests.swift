import InklingJSON
import InklingProgramTesting
import Testing

@Suite(.runsPrograms) struct `inkling-kit conform live` {
    @Test func `lists its checks with their requirements and needs`() throws {
        let outcome = try Kit.run("conform", "live", "--list")
        #expect(outcome.status == 0)
        // 51 of an ordinary run, and one for each message of a first contact that can be withheld.
        #expect(outcome.lines.count == 51 + 3)
        #expect(
            outcome.lines.contains(
                "live-discovery-text  INK-MDN-003  TXT is exactly v=1 (needs records on the network)"))
        let lines = try Kit.run("conform", "live", "--list", "--json").lines.map { line in
            try #require(JSON(parsing: Array(line.utf8)).object)
        }
        #expect(lines.allSatisfy { $0["id"]?.text?.hasPrefix("live-") == true && $0["requirements"]?.list != [] })
    }

    @Test(arguments: [
        ["--accept", "x", "--home", "y"], ["--contact", "Ada"], ["--yes"], ["--search", "0"], ["--max-wait", "3601"],
        ["--tolerance", "0"], ["--clock-error", "-1"], ["--home", "y", "--demo-clock", "30@1785600000"],
    ])
    func `rejects options that cannot be combined`(arguments: [String]) throws {
        let outcome = try Kit.run(["conform", "live"] + arguments)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: "))
    }

    #if Node
        @Test(arguments: [
            (["--interface", "none0"], Int32(69), "there is no interface none0"),
            (["--home", "/nowhere/at/all"], 78, "Create one with: inkling init"),
            (["--accept", "INKLING:I:x"], 65, "the invitation is incomplete"),
            (["--demo-clock", "1@5"], 64, "invalid demonstration clock"),
            (["--address", "here"], 64, "invalid address"),
        ])
        func `reports why it cannot run, with an exit code`(words: [String], status: Int32, message: String) throws {
            let outcome = try Kit.run(["conform", "live", "--search", "1", "--max-wait", "0"] + words)
            #expect(outcome.status == status, "\(outcome)")
            #expect(outcome.errors.contains(message), "\(outcome)")
            #expect(outcome.output.isEmpty)
        }
    #endif
}

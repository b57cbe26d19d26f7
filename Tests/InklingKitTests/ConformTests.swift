import InklingJSON
import InklingProgramTesting
import Testing

/// The folder Vectors of this checkout; this file is Tests/InklingKitTests/ConformTests.swift.
private let vectors =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/Vectors"

/// Creates a folder with one vector file.
private func folder() throws -> Folder {
    let folder = try Folder()
    _ = try folder.write("mdns-name.json", try bytesOfFile("\(vectors)/mdns-name.json"))
    return folder
}

/// The command of our own shim in a shell script that changes its input or its output.
private func shell(_ script: String) -> [String] { ["sh", "-c", script, "shim", Kit.path] }

@Suite(.runsPrograms) struct `inkling-kit conform` {
    @Test func `passes our own shim`() throws {
        let folder = try folder()
        let outcome = try Kit.run("conform", "--vectors", folder.path, "--", Kit.path, "shim")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("identifiers.md\n  ✓ mdns-name  66 of 66\n"))
        #expect(outcome.output.hasSuffix("\n91 passed, 0 failed\n"))
        #expect(outcome.errors.isEmpty)
    }

    @Test func `explains a difference and writes every kind of report`() throws {
        let folder = try folder()
        let upper = shell(
            #""$1" shim | sed -u '/"name"/y/abcdef/ABCDEF/; s/"nAmE"/"name"/; s/"iD"/"id"/; s/"rEsult"/"result"/; s/mDns-nAmE/mdns-name/'"#
        )
        let reports = ["--junit", "\(folder.path)/j", "--markdown", "\(folder.path)/m", "--html", "\(folder.path)/h"]
        let outcome = try Kit.run(
            ["conform", "--vectors", folder.path, "--filter", "mdns-name-0005"] + reports + ["--"] + upper)
        #expect(outcome.status == 1, "\(outcome)")
        for line in [
            #"6", must be "ee86ffa399825968e402a6832c863656": hexadecimal digits are written in upper case"#,
            #"expected  "ee86ffa399825968e402a6832c863656""#,
            #"got       "EE86FFA399825968E402A6832C863656""#,
            "mdns-name-0005  INK-ID-", "\nDetails  inkling-kit conform explain mdns-name-0005 --vectors ",
            "\nRerun    inkling-kit conform --vectors \(folder.path) --filter mdns-name-0005 -- sh -c ",
        ] { #expect(outcome.output.contains(line), "\(line) is not in \(outcome)") }
        func text(_ name: String) throws -> String {
            String(decoding: try bytesOfFile("\(folder.path)/\(name)"), as: UTF8.self)
        }
        #expect(try text("j").contains(#"<testsuite name="mdns-name" tests="1" failures="1" skipped="0">"#))
        #expect(try text("m").contains("| identifiers.md | mdns-name | ✗ 0/1 |"))
        #expect(try text("h").contains("Likely: hexadecimal digits are written in upper case."))
        #expect(try !text("h").contains("<script"))
    }

    /// A silent program stays silent for ever. `ConformanceRunTests` has one that is late for a single request, without
    /// a clock.
    ///
    /// Covers INK-CNF-032.
    @Test(arguments: [
        ("exit 3", ["capabilities ended"]), ("exec sleep infinity", ["capabilities timeout"]),
        ("exec yes", ["capabilities chatter"]), ("exec tr '\\0' 'a' </dev/zero", ["capabilities too-long"]),
        (#""$1" shim | sed -u 's/mdns-name-0002/somebody/'"#, ["mdns-name-0002 wrong-id"]),
        (#""$1" shim | sed -u '/mdns-name-0002/p'"#, ["mdns-name-0002 second-answer"]),
        (#""$1" shim | sed -u '/mdns-name-0002/s/^/debug: /'"#, ["mdns-name-0002 not-json"]),
        // Three requests for each of two processes.
        (#"sed -u 3q | "$1" shim; exit 7"#, ["mdns-name-0003 ended", "mdns-name-0007 ended"]),
    ])
    func `names the fault of a program, and finishes`(script: String, failures: [String]) throws {
        let folder = try folder()
        let outcome = try Kit.run(
            ["conform", "--vectors", folder.path, "--filter", "mdns-name-000*", "--restarts", "1"]
                + ["--timeout", failures == ["capabilities timeout"] ? "1" : "3600", "--json", "--"] + shell(script))
        #expect(outcome.status == 1, "\(outcome)")
        let facts = try outcome.facts()
        let failed = facts.filter { $0["outcome"]?.text == "failed" }
        #expect(failed.map { "\($0["id"]?.text ?? "") \($0["failure"]?.text ?? "")" } == failures)
        #expect(facts.first?["event"]?.text == "start")
        #expect(facts.last?["event"]?.text == "end")
        #expect(facts.count == 12)
    }

    @Test func `exits with 0 under --strict when only the filter left cases out`() throws {
        let folder = try folder()
        let words = ["conform", "--vectors", folder.path, "--strict", "--filter", "mdns-name-0001", "--json", "--"]
        let outcome = try Kit.run(words + [Kit.path, "shim"])
        #expect(outcome.status == 0, "\(outcome)")
        let end = try #require(try outcome.facts().last)
        #expect(end["verdict"]?.text == "partial")
        #expect(end["filteredOut"]?.integer == 89)
    }

    @Test func `exits with 2 under --strict when a case was not asked`() throws {
        let folder = try folder()
        let poor = shell(#""$1" shim | sed -u 's/,"mdns-name"//'"#)
        for (options, status) in [([], 0), (["--strict"], 2)] as [([String], Int32)] {
            let outcome = try Kit.run(["conform", "--vectors", folder.path] + options + ["--"] + poor)
            #expect(outcome.status == status, "\(outcome)")
            #expect(outcome.output.contains("\nNo operation listed: identifiers.md (1 family).\n"))
        }
    }

    /// Runs the command with a terminal as standard output and standard error.
    private func onTerminal(_ arguments: [String]) throws -> Program.Outcome {
        let command = ([Kit.path] + arguments).joined(separator: " ")
        return try Program(["-qec", command, "/dev/null"], program: "/usr/bin/script").finish()
    }

    @Test func `shows on a terminal how many requests of the digests are answered`() throws {
        let folder = try Folder()
        _ = try folder.write("accumulated.json", try bytesOfFile("\(vectors)/accumulated.json"))
        let digests = ["conform", "--vectors", folder.path, "--filter", "accumulated-0001", "--digests", "1000"]
        let shown = try onTerminal(digests + ["--", Kit.path, "shim"])
        #expect(shown.status == 0, "\(shown)")
        #expect(shown.output.contains(" requests/s"), "\(shown)")
        // A log gets no bar.
        #expect(try Kit.run(digests + ["--", Kit.path, "shim"]).errors.isEmpty)
    }

    @Test func `shows on a terminal for how long the program has not answered`() throws {
        let folder = try folder()
        let shown = try onTerminal(["conform", "--vectors", folder.path, "--timeout", "2", "--", "sleep", "infinity"])
        #expect(shown.status == 1, "\(shown)")
        #expect(shown.output.contains(/no reply for [1-9]\d* s/), "\(shown)")
    }

    @Test func `accepts a list of known failures, and fails when the list is stale`() throws {
        let folder = try folder()
        let list = try folder.write("known", Array("mdns-name-0005 # upper case\n".utf8))
        let wrong = shell(#""$1" shim | sed -u 's/ee86ffa399825968e402a6832c863656/00/'"#)
        let borne = try Kit.run(
            ["conform", "--vectors", folder.path, "--filter", "mdns-name", "--known-failures", list, "--"] + wrong)
        #expect(borne.status == 0, "\(borne)")
        #expect(borne.output.contains("1 known failure"))
        let stale = try Kit.run(
            "conform", "--vectors", folder.path, "--known-failures", list, "--", Kit.path, "shim")
        #expect(stale.status == 1)
        #expect(stale.output.contains("stale: mdns-name-0005 is in the list of known failures and did not fail"))
    }

    @Test(arguments: [
        (["/bin/false"], "it ended with exit code 1."),
        (["yes"], "it writes without a request"), (["sleep", "infinity"], "flush each line"),
        (["sh", "-c", "kill -SEGV $$"], "it was ended by signal 11."),
    ])
    func `reports in a few lines that a program is not a shim`(program: [String], words: String) throws {
        let folder = try folder()
        let timeout = program[0] == "sleep" ? "1" : "3600"
        let outcome = try Kit.run(["conform", "--vectors", folder.path, "--timeout", timeout, "--"] + program)
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("✗ Not a shim, or it fails at the first request: it "))
        #expect(outcome.output.contains(words), "\(outcome)")
        #expect(outcome.lines.count < 12)
    }

    @Test func `explains a case with every intermediate value`() throws {
        let folder = try folder()
        let outcome = try Kit.run("conform", "explain", "mdns-name-0005", "--vectors", folder.path)
        #expect(outcome.status == 0, "\(outcome)")
        for line in [
            "  intermediate values", "    message  ", "    mac ", "  send     {\"id\":\"mdns-name-0005\"",
            "  receive  {",
        ] {
            #expect(outcome.output.contains(line), "\(line) is not in \(outcome)")
        }
        let json = try Kit.run("conform", "explain", "mdns-name-000*", "--json", "--vectors", folder.path)
        #expect(try json.facts().count == 9)
        let none = try Kit.run("conform", "explain", "mdns-name", "--vectors", folder.path)
        #expect(none.status == 65)
    }

    @Test func `lists the cases without running a program`() throws {
        let folder = try folder()
        let outcome = try Kit.run("conform", "--vectors", folder.path, "--filter", "mdns-name-000*", "--list")
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == 9)
        #expect(outcome.lines.first?.hasPrefix("mdns-name-0001  core  INK-ID-") == true)
    }

    @Test func `merges reports into one matrix`() throws {
        let folder = try folder()
        func report(_ name: String, _ program: [String]) throws -> String {
            let outcome = try Kit.run(
                ["conform", "--vectors", folder.path, "--filter", "mdns-name", "--json", "--name", name, "--"] + program
            )
            return try folder.write(name, Array(outcome.output.utf8))
        }
        let ours = try report("ours", [Kit.path, "shim"])
        let theirs = try report("theirs", shell(#""$1" shim | sed -u 's/ee86ffa399825968e402a6832c863656/00/'"#))
        let page = "\(folder.path)/matrix.html"
        let outcome = try Kit.run("conform", "merge", ours, theirs, "--html", page)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("| page | family | `ours` | `theirs` |\n"))
        #expect(outcome.output.contains("| identifiers.md | mdns-name | ✓ 66 | ✗ 65/66 |\n"))
        #expect(String(decoding: try bytesOfFile(page), as: UTF8.self).contains("<td class=\"failed\">✗ 65/66</td>"))
        let cut = try folder.write(
            "cut", Array(#"{"event":"start","format":"inkling-conform/1","implementation":"x","cases":2}"#.utf8))
        let bad = try Kit.run("conform", "merge", ours, cut)
        #expect(bad.status == 65)
        #expect(bad.errors.contains("\(cut): the first or the last line of the report is missing"))
    }

    @Test func `rejects wrong arguments`() throws {
        let folder = try folder()
        let none = try Kit.run("conform", "--vectors", folder.path)
        #expect(none.status == 64)
        let missing = try Kit.run("conform", "--vectors", folder.path, "--", "\(folder.path)/missing")
        #expect(missing.status == 69, "\(missing)")
        #expect(missing.errors.contains("cannot start \(folder.path)/missing"))
        let nothing = try Kit.run("conform", "--vectors", folder.path, "--filter", "nothing", "--", "true")
        #expect(nothing.status == 64)
        let noFolder = try Kit.run("conform", "--vectors", "\(folder.path)/none", "--", "true")
        #expect(noFolder.status == 65)
    }
}

import InklingProgramTesting
import Testing

/// Every verb, in the order of the help.
let verbs: [[String]] = [
    [], ["init"], ["card"], ["card", "show"], ["card", "export"], ["card", "add"], ["invite"], ["accept"], ["contacts"],
    ["contacts", "list"], ["contacts", "show"], ["contacts", "rename"], ["contacts", "delay"], ["contacts", "remove"],
    ["contacts", "renew"],
    ["contacts", "revoke"], ["contacts", "block"], ["contacts", "unblock"], ["contacts", "grant"], ["audience"],
    ["audience", "list"], ["audience", "create"], ["audience", "rename"], ["audience", "remove"],
    ["audience", "assign"],
    ["audience", "unassign"], ["audience", "show"], ["audience", "who"], ["run"], ["visible"], ["status"], ["send"],
    ["messages"], ["messages", "list"], ["messages", "show"], ["messages", "read"], ["messages", "remove"],
    ["files"], ["files", "list"], ["files", "accept"], ["files", "refuse"], ["files", "cancel"],
    ["device"], ["device", "add"], ["device", "join"], ["device", "list"], ["device", "remove"],
    ["phone"], ["phone", "add"], ["phone", "renew"], ["backup"],
    ["restore"], ["passphrase"], ["recover"], ["doctor"], ["dashboard"],
    ["profile"], ["profile", "new"], ["profile", "show"],
    ["config"], ["config", "check"], ["config", "example"],
    ["explain"], ["scan"], ["odds"], ["predict"], ["match"], ["fleet"], ["fleet", "antenna"],
    ["fleet", "match"], ["fleet", "presence"], ["derive"], ["sim"], ["transport"],
    ["transport", "plan"], ["transport", "profiles"], ["vectors"], ["vectors", "list"], ["vectors", "verify"],
    ["conform"], ["conform", "run"], ["conform", "live"], ["conform", "merge"], ["shim"], ["completions"], ["version"],
]

@Suite(.runsPrograms) struct `Help and usage` {
    @Test(arguments: verbs)
    func `the help of every verb has an example`(verb: [String]) throws {
        let outcome = try Program.run(verb + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("Example"))
        let example = outcome.lines.first {
            $0.hasPrefix("  $ ") && $0.contains((["inkling"] + verb).joined(separator: " "))
        }
        #expect(example != nil, "\(outcome)")
    }

    @Test func `the verbs in these tests are those in the help`() throws {
        let outcome = try Program.run("--help")
        let shown = outcome.lines.drop { !$0.hasSuffix("SUBCOMMANDS:") }.filter { line in
            line.hasPrefix("  ") && line.dropFirst(2).first?.isLowercase == true
        }
        let names = shown.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names == verbs.filter { $0.count == 1 }.map { $0[0] })
    }

    @Test func `the help lists every exit code that the program uses`() throws {
        let help = try Program.run("--help").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for code in ["0 success", "64 wrong usage", "65 invalid data", "74 output not written", "77 no permission"] {
            #expect(help.contains(code), "\(code)")
        }
    }

    @Test(
        arguments: [
            (["contcats", "list"], "contacts"), (["invit"], "invite"), (["contacts", "rmove", "Bo"], "remove"),
            (["INIT"], "init"),
        ] as [([String], String)])
    func `a misspelt verb gets a suggestion`(arguments: [String], verb: String) throws {
        let outcome = try Program.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("Did you mean '\(verb)'?\n"), "\(outcome)")
    }

    @Test func `a word that resembles no verb gets no suggestion`() throws {
        #expect(!(try Program.run("xylophone").errors.contains("Did you mean")))
    }

    @Test(arguments: [[], ["card"], ["contacts"], ["files"], ["transport"], ["vectors"]])
    func `a verb with subcommands shows its help when none is given`(verb: [String]) throws {
        let outcome = try Program.run(verb)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("SUBCOMMANDS:"))
    }

    @Test(arguments: [
        ["fly"], ["--fly"], ["card", "fly"], ["contacts", "list", "--fly"], ["derive"],
        ["derive", "--example", "--key-file", "x"],
        ["derive", "--example", "--device", "16"], ["derive", "--example", "--device", "one"], ["completions", "csh"],
        ["completions"], ["init"], ["send", "Bo"], ["send", "Bo", "Tea?", "--wait", "3601"],
        ["invite", "--minutes", "0"], ["invite", "--minutes", "11"],
        ["odds", "--contacts", "0"], ["odds", "--contacts", "5", "--devices", "17"], ["odds", "--strangers", "-1"],
        ["odds", "--root-file", "-"], ["predict", "--hours", "0"], ["predict", "--hours", "168"],
        ["predict", "--json"], ["predict", "--example", "--format", "parquet"], ["predict", "--format", "xml"],
        ["predict", "--binary", "--format", "csv", "--output", "x"], ["doctor", "--listen", "601"],
        ["scan", "--for", "0"], ["scan", "--for", "25h"], ["scan", "--for", "ten"],
        ["scan", "--without-home", "--home", "x"], ["scan", "--strangers", "--all"],
        ["doctor", "--adapter", "hci0", "--without-bluetooth"],
        ["match", "--skew", "451"], ["match", "--table", "t", "--example"], ["recover"],
        ["recover", "--clock", "--restored-copy"], ["run", "--leave-after", "29"], ["run", "--arrive-after", "86401"],
        ["version", "surplus"],
    ])
    func `rejects unknown words and values out of range as wrong usage`(arguments: [String]) throws {
        let outcome = try Program.run(arguments)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: "))
        #expect(outcome.errors.contains("See 'inkling"))
    }
}

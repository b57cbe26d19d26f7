import InklingProgramTesting
import Testing

/// Every verb, in the order of the help.
private let verbs: [[String]] = [
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
    ["explain"], ["scan"], ["fleet"], ["fleet", "antenna"], ["fleet", "match"], ["fleet", "presence"], ["derive"],
    ["completions"], ["version"],
]

@Suite(.runsPrograms) struct `Help and usage` {
    private let inkling = ProgramPromises(of: Program.path, verbs: verbs)

    @Test(arguments: verbs) func `the help of every verb has an example`(verb: [String]) throws {
        try inkling.hasExample(of: verb)
    }

    @Test func `the verbs in these tests are those in the help`() throws { try inkling.showsItsVerbs() }

    @Test func `the help lists every exit code that the program uses`() throws { try inkling.listsExitCodes() }

    @Test(arguments: [("bash", "/bin/bash"), ("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")])
    func `a completion script names every verb, and its shell can parse it`(shell: String, program: String) throws {
        try inkling.completes(in: shell, at: program)
    }

    @Test func `the version is that of --version, in words and as JSON`() throws { try inkling.saysItsVersion() }

    @Test(
        arguments: [
            (["contcats", "list"], "contacts"), (["invit"], "invite"), (["contacts", "rmove", "Bo"], "remove"),
            (["INIT"], "init"), (["xylophone"], nil),
        ] as [([String], String?)])
    func `a misspelt verb gets a suggestion, and a word that resembles none gets none`(
        arguments: [String], verb: String?
    ) throws {
        try inkling.suggests(verb, for: arguments)
    }

    @Test(arguments: [[], ["card"], ["contacts"], ["files"], ["profile"]])
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
        ["doctor", "--listen", "601"], ["scan", "--for", "0"], ["scan", "--for", "25h"], ["scan", "--for", "ten"],
        ["scan", "--without-home", "--home", "x"], ["scan", "--strangers", "--all"],
        ["doctor", "--adapter", "hci0", "--without-bluetooth"], ["recover"],
        ["recover", "--clock", "--restored-copy"], ["run", "--leave-after", "29"], ["run", "--arrive-after", "86401"],
        ["version", "surplus"],
    ])
    func `rejects unknown words and values out of range as wrong usage`(arguments: [String]) throws {
        try inkling.rejects(arguments)
    }
}

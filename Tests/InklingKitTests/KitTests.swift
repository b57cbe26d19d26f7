import InklingProgramTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Every verb, in the order of the help.
private let verbs: [[String]] = [
    [], ["conform"], ["conform", "run"], ["conform", "live"], ["conform", "merge"], ["vectors"], ["vectors", "list"],
    ["vectors", "verify"], ["shim"], ["predict"], ["match"], ["odds"], ["sim"], ["transport"], ["transport", "plan"],
    ["transport", "profiles"], ["completions"], ["version"],
]

@Suite(.runsPrograms) struct `Help, usage and output of inkling-kit` {
    private let kit = ProgramPromises(of: Kit.path, verbs: verbs)

    @Test(arguments: verbs) func `the help of every verb has an example`(verb: [String]) throws {
        try kit.hasExample(of: verb)
    }

    @Test func `the verbs in these tests are those in the help`() throws { try kit.showsItsVerbs() }

    @Test func `the help lists every exit code that the program uses`() throws { try kit.listsExitCodes() }

    @Test(arguments: [("bash", "/bin/bash"), ("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")])
    func `a completion script names every verb, and its shell can parse it`(shell: String, program: String) throws {
        try kit.completes(in: shell, at: program)
    }

    @Test func `the version is that of --version, in words and as JSON`() throws { try kit.saysItsVersion() }

    @Test func `a misspelt verb gets a suggestion`() throws { try kit.suggests("conform", for: ["confrom"]) }

    @Test(arguments: [[], ["transport"], ["vectors"]])
    func `a verb with subcommands shows its help when none is given`(verb: [String]) throws {
        let outcome = try Kit.run(verb)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("SUBCOMMANDS:"))
    }

    /// The verbs of a node are those of `inkling`.
    @Test(arguments: [
        ["fly"], ["--fly"], ["run"], ["completions", "csh"], ["version", "surplus"],
        ["odds", "--contacts", "0"], ["odds", "--contacts", "5", "--devices", "17"], ["odds", "--strangers", "-1"],
        ["odds", "--root-file", "-"], ["predict", "--hours", "0"], ["predict", "--hours", "168"],
        ["predict", "--json"], ["predict", "--example", "--format", "parquet"], ["predict", "--format", "xml"],
        ["predict", "--binary", "--format", "csv", "--output", "x"], ["match", "--skew", "451"],
        ["match", "--table", "t", "--example"],
    ])
    func `rejects unknown words and values out of range as wrong usage`(arguments: [String]) throws {
        try kit.rejects(arguments)
    }

    @Test(
        arguments: [
            (["sim", "--contacts", "2", "--strangers", "2", "--minutes", "5"], ""),
            (["sim", "--contacts", "2", "--strangers", "2", "--minutes", "5", "--stream"], ""),
            (["predict", "--example", "--hours", "1"], ""), (["odds", "--contacts", "5"], ""), (["version"], ""),
            (["completions", "bash"], ""), (["--help"], ""), (["transport", "profiles"], ""),
            (["match", "--example"], #"{"time":1785600240,"name":"ee86ffa399825968e402a6832c863656"}"#),
            (["shim"], #"{"id":1,"op":"capabilities"}"#),
        ])
    func `a verb ends with exit code 74 and a message when the device is full`(
        arguments: [String], input: String
    ) throws {
        try kit.failsIntoFullDevice(arguments, input: .text(input + "\n"))
    }

    @Test func `a verb ends without a message when its reader goes away`() throws {
        let program = try Program(["sim", "--stream", "--minutes", "600"], program: Kit.path)
        _ = try program.line()
        program.stopReading()
        let outcome = try program.finish()
        #expect(outcome.status == -SIGPIPE)
        #expect(outcome.errors.isEmpty)
    }
}

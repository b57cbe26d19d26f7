import Testing

@Suite(.runsPrograms) struct `inkling completions` {
    @Test(arguments: ["bash", "zsh", "fish"])
    func `a completion script names every verb`(shell: String) throws {
        let outcome = try Program.run("completions", shell)
        #expect(outcome.status == 0)
        for verb in verbs { for word in verb { #expect(outcome.output.contains(word)) } }
    }

    @Test(arguments: [("bash", "/bin/bash"), ("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")])
    func `an installed shell can parse its script`(shell: String, program: String) throws {
        guard exists(program) else { return }
        let folder = try Folder()
        let script = try folder.write("script", Array(try Program.run("completions", shell).output.utf8))
        let read = try Program(["-n", script], program: program).finish()
        #expect(read.status == 0)
        #expect(read.errors.isEmpty)
    }
}

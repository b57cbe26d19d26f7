import InklingProgramTesting
import Testing

@Suite(.runsPrograms) struct `inkling completions` {
    /// `.ci/setup test` installs the shells; one that is missing fails here.
    @Test(arguments: [("bash", "/bin/bash"), ("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")])
    func `a completion script names every verb, and its shell can parse it`(shell: String, program: String) throws {
        let outcome = try Program.run("completions", shell)
        #expect(outcome.status == 0)
        for verb in verbs { for word in verb { #expect(outcome.output.contains(word)) } }
        let folder = try Folder()
        let script = try folder.write("script", Array(outcome.output.utf8))
        let read = try Program(["-n", script], program: program).finish()
        #expect(read.status == 0)
        #expect(read.errors.isEmpty)
    }
}

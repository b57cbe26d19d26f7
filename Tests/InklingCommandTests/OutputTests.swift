import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.runsPrograms) struct `Output that cannot be written` {
    /// Runs a verb whose output goes to a device that is always full.
    private func intoFullDevice(_ arguments: [String], input: Program.Input = .nothing) throws -> Program.Outcome {
        try Program(
            ["-c", "exec \"$@\" >/dev/full", "sh", Program.path] + arguments, input: input, program: "/bin/sh"
        ).finish()
    }

    private func expectFailure(_ outcome: Program.Outcome) {
        #expect(outcome.status == 74, "\(outcome)")
        let message = "inkling: cannot write to standard output: No space left on device\n"
        #expect(outcome.errors.hasSuffix(message), "\(outcome)")
    }

    @Test(arguments: [
        ["sim", "--contacts", "2", "--strangers", "2", "--minutes", "5"],
        ["sim", "--contacts", "2", "--strangers", "2", "--minutes", "5", "--stream"],
        ["derive", "--example"], ["predict", "--example", "--hours", "1"], ["odds", "--contacts", "5"], ["version"],
        ["completions", "bash"], ["--help"], ["transport", "profiles"],
    ])
    func `a verb ends with exit code 74 and a message when the device is full`(arguments: [String]) throws {
        expectFailure(try intoFullDevice(arguments))
    }

    @Test func `match, shim and verbs that read a vault do not lose output silently`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        let log = "{\"time\":1785600240,\"name\":\"ee86ffa399825968e402a6832c863656\"}\n"
        expectFailure(try intoFullDevice(["match", "--example"], input: .text(log)))
        expectFailure(try intoFullDevice(["shim"], input: .text("{\"id\":1,\"op\":\"capabilities\"}\n")))
        for verb in [["contacts", "list"], ["contacts", "list", "--json"], ["explain", "Bo"], ["card", "export"]] {
            expectFailure(try intoFullDevice(verb + ada.options))
        }
    }

    @Test func `a verb ends without a message when its reader goes away`() throws {
        let program = try Program(["sim", "--stream", "--minutes", "600"])
        _ = try program.line()
        program.stopReading()
        let outcome = try program.finish()
        #expect(outcome.status == -SIGPIPE)
        #expect(outcome.errors.isEmpty)
    }
}

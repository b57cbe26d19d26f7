import InklingProgramTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.runsPrograms) struct `Output that cannot be written` {
    private let inkling = ProgramPromises(of: Program.path, verbs: [])

    @Test(arguments: [
        ["derive", "--example"], ["version"], ["completions", "bash"], ["--help"], ["config", "example"],
    ])
    func `a verb ends with exit code 74 and a message when the device is full`(arguments: [String]) throws {
        try inkling.failsIntoFullDevice(arguments)
    }

    @Test func `verbs that read a vault do not lose output silently`() throws {
        let folder = try Folder()
        let (ada, _) = try acquaintances(in: folder)
        for verb in [["contacts", "list"], ["contacts", "list", "--json"], ["explain", "Bo"], ["card", "export"]] {
            try inkling.failsIntoFullDevice(verb + ada.options)
        }
    }
}

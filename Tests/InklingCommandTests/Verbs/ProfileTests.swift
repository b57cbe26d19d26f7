import InklingJSON
import InklingProgramTesting
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.runsPrograms) struct `inkling profile` {
    private let members = [
        "profile", "name", "proximity", "service", "tag", "in", "out", "serviceType", "measuredPower", "epochSeconds",
    ]

    @Test func `new prints the file, with --json too, and show says the same of it`() throws {
        let folder = try Folder()
        let made = try Program.run("profile", "new", "Example Chat")
        #expect(made.status == 0, "\(made)")
        #expect(try Program.run("profile", "new", "Example Chat", "--json").output == made.output)
        let fact = try #require(try made.facts().first)
        #expect(fact.names == members)
        #expect(fact["serviceType"]?.text == "_example-chat._tcp")
        let file = try folder.write("profile.json", Array(made.output.utf8))
        #expect(try Program.run("profile", "show", file, "--json").output == made.output)
        #expect(try Program.run("profile", "show", "-", "--json", input: .text(made.output)).output == made.output)
        let shown = try Program.run("profile", "show", file).output
        #expect(shown.contains("name            Example Chat (an application's own)"))
        #expect(shown.contains("rotation        every 900 s"))
    }

    @Test func `options replace what follows from the name`() throws {
        let outcome = try Program.run(
            "profile", "new", "org.example.application", "--service-type", "_example._tcp", "--measured-power", "-65",
            "--proximity", "0F0E0D0C-0B0A-4908-8706-050403020100")
        let fact = try #require(try outcome.facts().first)
        #expect(fact["serviceType"]?.text == "_example._tcp")
        #expect(fact["measuredPower"]?.integer == -65)
        #expect(fact["proximity"]?.text == "0f0e0d0c-0b0a-4908-8706-050403020100")
    }

    @Test(arguments: [
        (["a", "--proximity", "e20a39f4-73f5-4bc4-a12f-17d1ad07a961"], "sample that many programs contain"),
        (["a", "--service", "9aa4730f-b25c-4cc3-b821-c931559fc196"], "overflow bit 66"),
        (["a", "--tag", "x"], "invalid tag: expected a UUID"), (["a", "--measured-power", "300"], "-100 to -20 dBm"),
        (["org.example.application"], "Give one with --service-type"), (["inkling"], "Choose another name."),
        ([" "], "invalid name"),
    ])
    func `a profile that must not be used is refused with the reason`(arguments: [String], reason: String) throws {
        let outcome = try Program.run(["profile", "new"] + arguments)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(reason), "\(outcome)")
    }

    @Test(arguments: [
        (#""measuredPower""#, #""measuredpower""#, "no such member: 'measuredpower'\n  Did you mean 'measuredPower'?"),
        (#""profile":1"#, #""profile":2"#, "invalid profile: expected the version of the form, 1"),
        (#":900"#, #":1800"#, "expected 900, which is the same in every profile"), ("}", "", "not a profile"),
    ])
    func `a file that is no profile is refused with the reason`(text: String, other: String, reason: String) throws {
        let folder = try Folder()
        let good = try Program.run("profile", "new", "Example").output
        let file = try folder.write("profile.json", Array(good.replacing(text, with: other).utf8))
        for command in [["profile", "show", file], ["derive", "--example", "--profile", file]] {
            let outcome = try Program.run(command)
            #expect(outcome.status == 65, "\(outcome)")
            #expect(outcome.errors.contains(reason), "\(outcome)")
        }
        let initialised = try Program.run(
            "init", "--name", "Ada", "--home", "\(folder.path)/h", "--key-file", "\(folder.path)/k", "--profile", file)
        #expect(initialised.status == 65)
        #expect(!exists("\(folder.path)/h"))
        #expect(!exists("\(folder.path)/k"))
    }

    /// Covers INK-PRF-007.
    @Test func `a home keeps the profile that it was created with`() throws {
        let folder = try Folder()
        let text = try Program.run("profile", "new", "Example").output
        let file = try folder.write("profile.json", Array(text.utf8))
        let home = "\(folder.path)/h", key = "\(folder.path)/k"
        let outcome = try Program.run("init", "--name", "Ada", "--home", home, "--key-file", key, "--profile", file)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try Program.run("profile", "show", "--home", home, "--json").output == text)
        var status = stat()
        try unsafe #require(stat("\(home)/profile.json", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        let other = try Home("Bob", in: folder)
        let own = try Program.run("profile", "show", "--home", other.path)
        #expect(own.output.contains("Inkling's own"))
        // A profile that is not understood must not make a node appear with Inkling's values.
        unsafe chmod("\(home)/profile.json", 0o600)
        _ = try folder.write("h/profile.json", Array("{}".utf8))
        let broken = try Program.run("contacts", "list", "--home", home, "--key-file", key)
        #expect(broken.status == 65, "\(broken)")
    }

    @Test func `derive shows the name in the service type of the profile`() throws {
        let folder = try Folder()
        let text = try Program.run("profile", "new", "Example").output
        let file = try folder.write("profile.json", Array(text.utf8))
        let spoken = try Program.run("derive", "--example", "--at", "1785600000", "--profile", file)
        #expect(spoken.output.contains("._example._tcp.local"))
        let fact = try Program.run("derive", "--example", "--at", "1785600000", "--profile", file, "--json").facts()[0]
        #expect(fact["serviceType"]?.text == "_example._tcp")
    }
}

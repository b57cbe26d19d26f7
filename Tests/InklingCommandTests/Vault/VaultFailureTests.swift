import InklingProgramTesting
import InklingTesting
import Testing

@Suite(.runsPrograms) struct `A vault that does not open` {
    @Test func `a missing vault is wrong configuration, and the message says how to create one`() throws {
        let folder = try Folder()
        for verb in [["contacts", "list"], ["card", "show"], ["recover", "--clock"]] {
            let outcome = try Program.run(verb + ["--home", "\(folder.path)/none"])
            #expect(outcome.status == 78, "\(outcome)")
            #expect(outcome.errors.contains("\(folder.path)/none"))
            #expect(outcome.errors.contains("inkling init --name NAME --home \(folder.path)/none"))
        }
    }

    @Test func `a wrong key is missing permission, and a missing key is wrong configuration`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let other = try folder.write("other", [UInt8](repeating: 7, count: 32))
        let wrong = try Program.run("contacts", "list", "--home", home.path, "--key-file", other)
        #expect(wrong.status == 77)
        #expect(wrong.errors.contains("\(home.vault): this key file does not open the vault"))
        let none = try Program.run("contacts", "list", "--home", home.path)
        #expect(none.status == 78)
        #expect(none.errors.contains("Give --key-file FILE."))
        let missing = try Program.run("contacts", "list", "--home", home.path, "--key-file", "\(folder.path)/missing")
        #expect(missing.status == 78)
        #expect(missing.errors.contains("no key file found"))
    }

    /// Damages to the bytes of a vault, and the message that reports each.
    private static let damages: [(words: String, apply: @Sendable (inout [UInt8]) -> Void)] = [
        ("the header was changed or damaged", { $0[120] ^= 1 }),
        ("the contents was changed or damaged", { $0[$0.count - 1] ^= 1 }),
        ("the contents was changed or damaged", { $0.append(0) }),
        ("truncated: ", { $0.removeLast(10) }),
        ("truncated: 0 bytes", { $0 = [] }),
        ("not a vault", { $0[0] ^= 0xff }),
        ("written by a later release (version 2)", { $0[8] = 2 }),
    ]

    @Test(arguments: damages.indices)
    func `a damaged vault is reported as invalid data and stays unchanged`(number: Int) throws {
        let damage = Self.damages[number]
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        var bytes = try bytesOfFile(home.vault)
        damage.apply(&bytes)
        try writeFile(home.vault, bytes)
        for verb in [["contacts", "list"], ["card", "show"], ["recover", "--restored-copy"]] {
            let outcome = try Program.run(verb + home.options)
            #expect(outcome.status == 65, "\(outcome)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("\(home.vault): "))
            #expect(outcome.errors.contains(damage.words), "\(outcome)")
            #expect(try bytesOfFile(home.vault) == bytes)
        }
    }

    #if Node
        /// Covers INK-VLT-021.
        @Test func `a second process is told which process uses the vault`() throws {
            let folder = try Folder()
            let home = try Home("Ada", in: folder)
            let holder = try home.start("invite", "--yes", "--json")
            _ = try holder.fact()
            for verb in [["contacts", "list"], ["card", "show"], ["invite"]] {
                let second = try Program.run(verb + home.options)
                #expect(second.status == 69, "\(second)")
                #expect(second.errors.contains("\(home.path): in use by process \(holder.number); stop it first"))
            }
        }
    #endif
}

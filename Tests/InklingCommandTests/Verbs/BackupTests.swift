import InklingJSON
import InklingKeys
import InklingNode
import InklingProgramTesting
import InklingTesting
import InklingVault
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.runsPrograms) struct `inkling backup and restore` {
    #if Node
        /// Covers INK-BAK-015.
        @Test func `a backup of a running node restores elsewhere as another device, with contacts to review`() throws {
            let folder = try Folder()
            let (ada, _) = try acquaintances(in: folder)
            let file = "\(folder.path)/ada.backup"
            let node = try ada.start("run", "--invisible", "--json")
            try node.waitForControl(of: ada)
            let fact = try #require(try ada.facts("backup", file).first)
            node.interrupt()
            #expect(fact.names == ["backup", "date", "contacts", "key"])
            #expect(fact["contacts"]?.integer == 1)
            #expect(fact["key"]?.text == "key file")
            var status = stat()
            unsafe #expect(stat(file, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)

            let home = "\(folder.path)/new"
            let restored = try Program.run(
                ["restore", file, "--home", home, "--key-file", ada.keyFile, "--json"])
            #expect(restored.status == 0, "\(restored)")
            let outcome = try #require(try restored.facts().first)
            #expect(outcome.names == ["restored", "name", "date", "contacts"])
            #expect(outcome["date"]?.text == fact["date"]?.text)

            let options = ["--home", home, "--key-file", ada.keyFile]
            let listed = try Program.run(["contacts", "list", "--json"] + options)
            let contact = try #require(try listed.facts().first)
            #expect(contact["needsReview"]?.flag == true)
            #expect(contact["restoredFrom"]?.text == fact["date"]?.text)
            let text = try Program.run(["contacts", "list"] + options).output
            #expect(text.contains("as of \(fact["date"]?.text ?? "?"), review it: "), "\(text)")
            let old = try ada.contents()
            let new = try VaultFile(home: home).open(
                with: VaultKey.keyFile(at: ada.keyFile), acceleratedClock: true
            ).contents
            #expect(new.device != old.device)
            #expect(new.cardSerial > old.cardSerial)
            #expect(new.audiences[0].generation > old.audiences[0].generation)
            #expect(new.restored == nil)
        }
    #endif

    @Test func `a backup can have a passphrase of its own, and the restored vault another key`() throws {
        let folder = try Folder()
        let ada = try Home("Ada", in: folder)
        let file = "\(folder.path)/ada.backup"
        let made = try ada.run("backup", file, "--new-passphrase-file", "-", input: .text("battery staple\n"))
        #expect(made.status == 0, "\(made)")
        #expect(made.output.contains("Its passphrase opens it."), "\(made)")
        let home = "\(folder.path)/new"
        let restore = ["restore", file, "--home", home, "--passphrase-file", "-"]
        let refused = try Program.run(restore, input: .text("wrong\n"))
        #expect(refused.status == 77)
        #expect(!exists("\(home)/vault"))
        let done = try Program.run(
            restore + ["--new-key-file", "\(folder.path)/new.key"], input: .text("battery staple\n"))
        #expect(done.status == 0, "\(done)")
        let listed = try Program.run(["contacts", "list", "--home", home, "--key-file", "\(folder.path)/new.key"])
        #expect(listed.status == 0, "\(listed)")
    }

    @Test func `neither replaces a file or a vault, and a vault is not taken for a backup`() throws {
        let folder = try Folder()
        let ada = try Home("Ada", in: folder)
        let file = try folder.write("there", [1])
        let refused = try ada.run("backup", file)
        #expect(refused.status == 78)
        #expect(try bytesOfFile(file) == [1])
        let other = "\(folder.path)/ada.backup"
        #expect(try ada.run("backup", other).status == 0)
        let before = try bytesOfFile(ada.vault)
        #expect(try ada.run("restore", other).status == 78)
        #expect(try bytesOfFile(ada.vault) == before)
        let none = try Program.run(["restore", ada.vault, "--home", "\(folder.path)/x", "--key-file", ada.keyFile])
        #expect(none.status == 65)
        #expect(none.errors.contains("not a backup"), "\(none)")
        #expect(!exists("\(folder.path)/x"))
    }

    @Test func `empty passphrases, a wrong key and two keys at once are refused`() throws {
        let folder = try Folder()
        let ada = try Home("Ada", in: folder)
        let file = "\(folder.path)/b"
        let empty = try ada.run("backup", file, "--new-passphrase-file", "-", input: .text("\n"))
        #expect(empty.status == 65)
        #expect(empty.errors.contains("contains no passphrase"))
        let both = try ada.run("backup", file, "--new-passphrase", "--new-key-file", "\(folder.path)/k")
        #expect(both.status == 64)
        let other = try Home("Bo", in: folder)
        let wrong = try Program.run(["backup", file, "--home", ada.path, "--key-file", other.keyFile])
        #expect(wrong.status == 77)
        #expect(!exists(file))
    }
}

@Suite(.runsPrograms) struct `inkling passphrase` {
    @Test func `changes a key file for a passphrase and back, and refuses the key before`() throws {
        let folder = try Folder()
        let ada = try Home("Ada", in: folder)
        let changed = try Program.run(
            ["passphrase", "--json"] + ada.options + ["--new-passphrase-file", "-"], input: .text("first\n"))
        #expect(changed.status == 0, "\(changed)")
        #expect(try changed.facts().first?["key"]?.text == "passphrase")
        #expect(try ada.run("contacts", "list").status == 69)
        func list(_ text: String) throws -> Program.Outcome {
            try Program.run(
                ["contacts", "list", "--home", ada.path, "--passphrase-file", "-"], input: .text(text))
        }
        #expect(try list("first\n").status == 0)
        // The present and the next passphrase on two lines.
        let again = try Program.run(
            ["passphrase", "--home", ada.path, "--passphrase-file", "-", "--new-passphrase-file", "-"],
            input: .text("first\nsecond\n"))
        #expect(again.status == 0, "\(again)")
        #expect(try list("first\n").status == 77)
        #expect(try list("second\n").status == 0)
        let back = try Program.run(
            ["passphrase", "--home", ada.path, "--passphrase-file", "-", "--new-key-file", "\(folder.path)/next.key"],
            input: .text("second\n"))
        #expect(back.status == 0, "\(back)")
        let listed = try Program.run(
            ["contacts", "list", "--home", ada.path, "--key-file", "\(folder.path)/next.key"])
        #expect(listed.status == 0)
        #expect(try list("second\n").status == 78)
    }

    @Test func `refuses an empty passphrase, and one that is too long`() throws {
        let folder = try Folder()
        let ada = try Home("Ada", in: folder)
        let empty = try ada.run("passphrase", "--new-passphrase-file", "-", input: .text("\n"))
        #expect(empty.status == 65)
        let long = try ada.run(
            "passphrase", "--new-passphrase-file", "-", input: .text(String(repeating: "x", count: 1025) + "\n"))
        #expect(long.status == 65)
    }

    #if Node
        @Test func `is refused while the node runs`() throws {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder)
            let node = try ada.start("run", "--invisible", "--json")
            try node.waitForControl(of: ada)
            let refused = try ada.run("passphrase", "--new-passphrase-file", "-", input: .text("next\n"))
            node.interrupt()
            #expect(refused.status == 69)
            #expect(refused.errors.contains("in use by process"), "\(refused)")
        }
    #endif
}

import InklingJSON
import InklingProgramTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite(.runsPrograms) struct `inkling init` {
    @Test func `creates a home that is private and can be used at once`() throws {
        let folder = try Folder()
        let home = try Home(initialising: "Ada", in: folder)
        for (path, mode) in [(home.path, 0o700), (home.vault, 0o600), (home.keyFile, 0o600)] as [(String, mode_t)] {
            var status = stat()
            try unsafe #require(stat(path, &status) == 0)
            #expect(status.st_mode & 0o7777 == mode)
        }
        #expect(try home.facts("contacts", "list").isEmpty)
        #expect(try home.run("contacts", "list").output.contains("No contacts yet"))
    }

    @Test(arguments: ["0", "0177", "0777"])
    func `creates a home that can be used, whatever the umask is`(mask: String) throws {
        let folder = try Folder()
        let (home, key) = ("\(folder.path)/above/h", "\(folder.path)/k")
        let outcome = try Program(
            ["-c", "umask \(mask); exec \"$@\"", "sh", Program.path, "init", "--name", "Ada", "--home", home]
                + ["--key-file", key],
            program: "/bin/sh"
        ).finish()
        #expect(outcome.status == 0, "\(outcome)")
        for (path, mode) in [
            ("\(folder.path)/above", 0o700), (home, 0o700), ("\(home)/vault", 0o600), ("\(home)/generation", 0o600),
            ("\(home)/lock", 0o600), (key, 0o600),
        ] as [(String, mode_t)] {
            var status = stat()
            try unsafe #require(stat(path, &status) == 0, "\(path)")
            #expect(status.st_mode & 0o7777 == mode, "\(path)")
        }
        #expect(try Program.run("contacts", "list", "--home", home, "--key-file", key).status == 0)
    }

    @Test func `prints the new node as JSON`() throws {
        let folder = try Folder()
        let outcome = try Program.run(
            "init", "--name", "Ada", "--home", "\(folder.path)/h", "--key-file", "\(folder.path)/k", "--json")
        let facts = try #require(try outcome.facts().first)
        #expect(outcome.status == 0)
        #expect(facts.names == ["home", "name"])
        #expect(facts["home"]?.text == "\(folder.path)/h")
        #expect(facts["name"]?.text == "Ada")
    }

    @Test func `uses $INKLING_HOME, or else a home below $HOME, and creates missing directories`() throws {
        let folder = try Folder()
        let key = try folder.write("key", [UInt8](repeating: 7, count: 32))
        let named = try Program.run(
            "init", "--name", "Ada", "--key-file", key, environment: ["INKLING_HOME": "\(folder.path)/named"])
        #expect(named.status == 0, "\(named)")
        #expect(exists("\(folder.path)/named/vault"))
        let plain = try Program.run("init", "--name", "Ada", "--key-file", key, environment: ["HOME": folder.path])
        #expect(plain.status == 0, "\(plain)")
        #expect(exists("\(folder.path)/.local/share/inkling/vault"))
    }

    @Test func `leaves an existing vault unchanged`() throws {
        let folder = try Folder()
        let home = try Home("Ada", in: folder)
        let before = try bytesOfFile(home.vault)
        let second = try Program.run(
            "init", "--name", "Eve", "--home", home.path, "--key-file", "\(folder.path)/other.key")
        #expect(second.status == 78)
        #expect(second.errors.contains("\(home.vault): the vault exists already"))
        #expect(try bytesOfFile(home.vault) == before)
        #expect(!exists("\(folder.path)/other.key"))
        // It fails before it asks for a passphrase.
        #expect(try Program.run("init", "--name", "Eve", "--home", home.path).status == 78)
    }

    @Test(arguments: [
        String(repeating: "x", count: 65), "a\u{1b}[2Jb", "a\nb", "a\u{202e}b", String(repeating: "ä", count: 33),
    ])
    func `rejects a name that cannot be shown, and does not echo it`(name: String) throws {
        let folder = try Folder()
        let outcome = try Program.run(
            "init", "--name", name, "--home", "\(folder.path)/h", "--key-file", "\(folder.path)/k")
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains("invalid name '"))
        #expect(!outcome.errors.contains("\u{1b}"))
        #expect(!outcome.errors.contains("\u{202e}"))
        for code in ["bidi\n", "control\n", "name-length"] { #expect(!outcome.errors.contains(code)) }
        #expect(!exists("\(folder.path)/h"))
    }

    @Test(arguments: ["", " ", "\u{a0}"])
    func `rejects an empty name`(name: String) throws {
        let folder = try Folder()
        let outcome = try Program.run(
            "init", "--name", name, "--home", "\(folder.path)/h", "--key-file", "\(folder.path)/k")
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains("--name must not be empty"))
        #expect(!exists("\(folder.path)/h"))
    }

    @Test(arguments: ["/proc/none", "/dev/null/none"])
    func `names a directory that cannot be created, and does not advise to run init`(user: String) throws {
        let outcome = try Program.run("init", "--name", "Ada", environment: ["HOME": user])
        #expect([77, 78].contains(outcome.status), "\(outcome)")
        #expect(outcome.errors.contains("cannot create the directory \(user)"))
        #expect(outcome.errors.contains("--home DIR"))
        #expect(!outcome.errors.contains("inkling init"))
        let existing = try Program.run("init", "--name", "Ada", "--home", "/proc/none", "--key-file", "/dev/null")
        #expect(!existing.errors.contains("inkling init"), "\(existing)")
    }

    @Test func `reads a passphrase from a file or from standard input`() throws {
        let folder = try Folder()
        let file = try folder.write("passphrase", Array("correct horse\nnot this line\n".utf8))
        let home = ["--home", "\(folder.path)/h"]
        let made = try Program.run(["init", "--name", "Ada", "--passphrase-file", file] + home)
        #expect(made.status == 0, "\(made)")
        let piped = try Program.run(
            ["card", "export", "--passphrase-file", "-"] + home, input: .text("correct horse\n"))
        #expect(piped.status == 0, "\(piped)")
        let wrong = try Program.run(
            ["card", "export", "--passphrase-file", "-"] + home, input: .text("wrong horse\n"))
        #expect(wrong.status == 77)
        #expect(wrong.errors.contains("this passphrase does not open the vault; try again with the right one"))
        #expect(!wrong.errors.contains("horse"))
    }

    @Test func `without a terminal it does not ask for a passphrase`() throws {
        let folder = try Folder()
        let outcome = try Program.run("init", "--name", "Ada", "--home", "\(folder.path)/h")
        #expect(outcome.status == 69)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("Give --passphrase-file FILE"))
        #expect(!exists("\(folder.path)/h/vault"))
    }

    @Test(arguments: [("", 65), ("\n", 65), (String(repeating: "x", count: 1025), 65)] as [(String, Int32)])
    func `rejects a passphrase that is empty or too long`(text: String, status: Int32) throws {
        let folder = try Folder()
        let file = try folder.write("passphrase", Array(text.utf8))
        let outcome = try Program.run(
            "init", "--name", "Ada", "--home", "\(folder.path)/h", "--passphrase-file", file)
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errors.contains(file))
    }

    @Test func `reports a missing passphrase file as wrong configuration`() throws {
        let folder = try Folder()
        let outcome = try Program.run(
            "init", "--name", "Ada", "--home", "\(folder.path)/h", "--passphrase-file", "\(folder.path)/none")
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("\(folder.path)/none: no passphrase found; provide it"))
    }

    /// Covers INK-VLT-030.
    @Test(arguments: [0o644, 0o640, 0o604, 0o602] as [mode_t])
    func `rejects a passphrase file that other users can read or write`(mode: mode_t) throws {
        let folder = try Folder()
        let file = try folder.write("passphrase", Array("correct horse\n".utf8), mode: mode)
        let outcome = try Program.run(
            "init", "--name", "Ada", "--home", "\(folder.path)/h", "--passphrase-file", file)
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.errors.contains("\(file): mode 0\(String(mode, radix: 8)) lets other users in"))
        #expect(!exists("\(folder.path)/h/vault"))
    }

    @Test func `rejects a key file that other users can read`() throws {
        let folder = try Folder()
        let key = try folder.write("key", [UInt8](repeating: 7, count: 32), mode: 0o644)
        let outcome = try Program.run("init", "--name", "Ada", "--home", "\(folder.path)/h", "--key-file", key)
        #expect(outcome.status == 77)
        #expect(outcome.errors.contains("\(key): mode 0644 lets other users in"))
        #expect(!exists("\(folder.path)/h/vault"))
    }

    @Test func `rejects a key file of a wrong length`() throws {
        let folder = try Folder()
        let key = try folder.write("key", [UInt8](repeating: 7, count: 31))
        let outcome = try Program.run("init", "--name", "Ada", "--home", "\(folder.path)/h", "--key-file", key)
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("key file must be 32 to 4096 bytes, got 31"))
    }

    @Test func `reports why a home cannot be created or used`() throws {
        let folder = try Folder()
        let key = try folder.write("key", [UInt8](repeating: 7, count: 32))
        let file = try folder.write("file", [])
        let notFolder = try Program.run("init", "--name", "Ada", "--home", file, "--key-file", key)
        #expect(notFolder.status == 78)
        #expect(notFolder.errors.contains("\(file): is a regular file"))
        let open = "\(folder.path)/open"
        unsafe mkdir(open, 0o755)
        unsafe chmod(open, 0o755)
        let shared = try Program.run("init", "--name", "Ada", "--home", open, "--key-file", key)
        #expect(shared.status == 77)
        #expect(shared.errors.contains("\(open): mode 0755 lets other users in"))
        // Not even root can create files below /proc.
        let unwritable = try Program.run("init", "--name", "Ada", "--home", "/proc/inkling", "--key-file", key)
        #expect([69, 77, 78].contains(unwritable.status), "\(unwritable)")
        #expect(unwritable.errors.contains("/proc/inkling"))
    }

    @Test func `never uses a vault with a demonstration clock with the real clock, or the reverse`() throws {
        let folder = try Folder()
        let key = "\(folder.path)/k"
        let home = ["--home", "\(folder.path)/h", "--key-file", key]
        #expect(try Program.run(["init", "--name", "Ada", "--demo-clock", "60@1785600000"] + home).status == 0)
        for text in ["60", "1@0", "3601@0", "x@0", "60@x", "60@0@0", ""] {
            let outcome = try Program.run(["init", "--name", "Ada", "--demo-clock", text] + home)
            #expect(outcome.status == 64, "\(text)")
        }
        #if Node
            let real = try Program.run(["run"] + home)
            #expect(real.status == 78)
            #expect(
                real.errors.contains("was created for a demonstration clock that runs 60 times as fast as the real one")
            )
            let ordinary = try Home("Bo", in: folder, clock: .real)
            let demo = try ordinary.run("run", "--demo-clock")
            #expect(demo.status == 78)
            #expect(demo.errors.contains("was created for the real clock"))
        #endif
    }
}

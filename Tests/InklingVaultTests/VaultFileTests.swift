import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Creates a home with a saved vault that is not locked.
private func savedHome(_ contents: VaultContents = emptyContents()) throws -> TemporaryHome {
    let home = try TemporaryHome()
    _ = try home.vault.createCheaply(contents)
    return home
}

@Suite struct `A vault file` {
    @Test func `a new vault opens with its passphrase and has the contents it was created with`() throws {
        let home = try TemporaryHome()
        var stored = try fullContents()
        do {
            let vault = try home.vault.createCheaply(stored)
            expectEqual(vault.header.generation, 1)
        }
        // The counter is written under the key of the vault, so that of the key before is forgotten.
        stored.formerCounterKey = nil
        expectEqual(home.names, ["generation", "lock", "vault"])
        let vault = try home.vault.open(with: passphrase())
        try expectEqual(encoded(vault.contents), encoded(stored))
        expectEqual(vault.header.method, .passphrase)
        expectEqual(vault.header.cost, .forTests)
        expectEqual(vault.header.clock, .real)
        expectEqual(vault.header.generation, 1)
    }

    @Test func `the example of the specification opens with its counter and its passphrase`() throws {
        let home = try TemporaryHome()
        let vault = bytes(
            """
            89494e4b560d0a1a 01 01 00 00000000 0000000000000000 00000001 00000008
            01010101010101010101010101010101 020202020202020202020202020202020202020202020202
            d2ae67961dbf114be75ea3aa340d3534fe5e4b2fb05af2b2c763cd40acd06cc9bcccdec8930bacaef785d36526f283c6
            0000000000000001 00000041 030303030303030303030303030303030303030303030303
            a73b70003697bfbdd92ca6ac8e0e24f8
            308e140330e8a6b5855281e1798c7050cec23108e46cedec5ecc14d2f0ab14ff73455c1a68d71fee23bd2f36826f91128d
            38a5aca4e7e9efa60fafad6d808890022603152a37713b8e1fae2095202a9564
            """)
        let counter = bytes(
            "89494e4b470d0a1a 0000000000000001 2a74c220c56165ee341f8ed1a448ab33e3124fb202248ef9612e3a95a42e8b19")
        try put(vault, at: home.path("vault"))
        try put(counter, at: home.path("generation"))
        let opened = try home.vault.open(with: passphrase())
        expectEqual(opened.header.generation, 1)
        #expect(
            hex(try encoded(opened.contents))
                == "0004" + "03416461" + "00" + "00000001" + "00" + String(repeating: "a1", count: 32) + "0003010203"
                + "00000001" + "00" + "00000000" + "00" + "0000" + "00000000" + "00000000" + "0000"
                + "0000000000000000000000000000000000000000000000")
        try expectEqual(encoded(opened.contents), encoded(emptyContents()))
    }

    @Test func `a vault whose contents have version 1 opens, and is written with version 4`() throws {
        let home = try TemporaryHome()
        let vault = bytes(
            """
            89494e4b560d0a1a 01 01 00 00000000 0000000000000000 00000001 00000008
            01010101010101010101010101010101 020202020202020202020202020202020202020202020202
            d2ae67961dbf114be75ea3aa340d3534fe5e4b2fb05af2b2c763cd40acd06cc9bcccdec8930bacaef785d36526f283c6
            0000000000000001 00000041 030303030303030303030303030303030303030303030303
            a73b70003697bfbdd92ca6ac8e0e24f8
            308d140330e8a6b5855281e1798c7050cec23108e46cedec5ecc14d2f0ab14ff73455c1a68d71fee23bd2f36826f91128d
            38a5aca4e7e9efa60fafad6d808890024acd7c14cb0b845bb21e7338203824b3
            """)
        let counter = bytes(
            "89494e4b470d0a1a 0000000000000001 2a74c220c56165ee341f8ed1a448ab33e3124fb202248ef9612e3a95a42e8b19")
        try put(vault, at: home.path("vault"))
        try put(counter, at: home.path("generation"))
        let opened = try home.vault.open(with: passphrase())
        expectEqual(opened.header.generation, 1)
        #expect(
            hex(try encoded(opened.contents))
                == "0004" + "03416461" + "00" + "00000001" + "00" + String(repeating: "a1", count: 32) + "0003010203"
                + "00000001" + "00" + "00000000" + "00" + "0000" + "00000000" + "00000000" + "0000"
                + "0000000000000000000000000000000000000000000000")
        try expectEqual(encoded(opened.contents), encoded(emptyContents()))
    }

    /// Covers INK-VLT-009.
    @Test func `the home and every file in it are private, even with a umask of 0`() throws {
        let parent = try TemporaryHome()
        let file = VaultFile(home: parent.path("home"))
        let before = umask(0)
        defer { umask(before) }
        _ = try file.createCheaply()
        for (name, mode) in [("home", 0o700), ("home/vault", 0o600), ("home/generation", 0o600), ("home/lock", 0o600)] {
            var status = stat()
            unsafe expectEqual(stat(parent.path(name), &status), 0)
            expectEqual(status.st_mode & 0o7777, mode_t(mode))
        }
    }

    @Test func `the file contains none of the contents in plain text`() throws {
        let home = try savedHome(try fullContents())
        let bytes = try #require(contents(of: home.path("vault")))
        let plain = try encoded(try fullContents())
        // Windows with few distinct values, such as zeros, can occur in the header too.
        let windows = Set(plain.indices.dropLast(7).map { Array(plain[$0..<$0 + 8]) }.filter { Set($0).count > 4 })
        #expect(windows.count > 400)
        let found = bytes.indices.dropLast(7).filter { windows.contains(Array(bytes[$0..<$0 + 8])) }
        #expect(found.isEmpty)
    }

    /// Covers INK-VLT-002, INK-VLT-004, INK-VLT-005.
    @Test func `two saves of the same contents share no nonce and no ciphertext`() throws {
        let home = try TemporaryHome()
        var vault = try home.vault.createCheaply()
        let first = try #require(contents(of: home.path("vault")))
        try vault.save()
        let second = try #require(contents(of: home.path("vault")))
        expectEqual(first[..<119], second[..<119])
        #expect(first[131..<155] != second[131..<155])
        #expect(first[171..<187] != second[171..<187])
    }

    /// Covers INK-VLT-001.
    @Test func `a new vault never replaces an existing one`() throws {
        let home = try savedHome()
        let before = try #require(contents(of: home.path("vault")))
        let found = try home.vault.creationFault()
        expectEqual(found, .exists)
        expectEqual(contents(of: home.path("vault")), before)
        try expectEqual(home.vault.openingFault(), nil)
    }

    /// Covers INK-VLT-023.
    @Test func `distinguishes a wrong passphrase from damage`() throws {
        let home = try savedHome()
        try expectEqual(home.vault.openingFault("incorrect horse"), .wrongKey(.passphrase))
        var bytes = try #require(contents(of: home.path("vault")))
        bytes[bytes.count - 1] ^= 1
        try put(bytes, at: home.path("vault"))
        try expectEqual(home.vault.openingFault(), .damaged(.contents))
        try expectEqual(home.vault.openingFault("incorrect horse"), .wrongKey(.passphrase))
    }

    @Test func `rejects a vault truncated at any length and leaves it unchanged`() throws {
        let home = try savedHome()
        let bytes = try #require(contents(of: home.path("vault")))
        for length in bytes.indices {
            let expected = length < VaultHeader.byteCount ? VaultHeader.byteCount : bytes.count
            try put(Array(bytes[..<length]), at: home.path("vault"))
            try expectEqual(home.vault.openingFault(), .truncated(bytes: length, expected: expected))
            expectEqual(contents(of: home.path("vault"))?.count, length)
        }
    }

    /// Covers INK-VLT-020.
    @Test func `rejects any flipped bit of the header and the contents and leaves the file unchanged`() throws {
        let home = try savedHome()
        let bytes = try #require(contents(of: home.path("vault")))
        for index in bytes.indices {
            let bits: Range<UInt8> = index < VaultHeader.byteCount ? 0..<8 : UInt8(index % 8)..<UInt8(index % 8) + 1
            for bit in bits {
                var changed = bytes
                changed[index] ^= 1 << bit
                try put(changed, at: home.path("vault"))
                let expected: VaultError.Fault =
                    switch index {
                    case 0..<8: .foreign
                    case 8 where changed[8] > 1: .newerVersion(found: UInt32(changed[8]))
                    case 0..<VaultHeader.byteCount: .damaged(.header)
                    default: .damaged(.contents)
                    }
                try expectEqual(home.vault.openingFault(), expected)
                expectEqual(contents(of: home.path("vault")), changed)
            }
        }
    }

    @Test func `rejects a header that was changed together with its check`() throws {
        let home = try savedHome()
        let bytes = try #require(contents(of: home.path("vault")))
        // Bytes that may have any value, so that only the authentication detects the change.
        let expectations: [(Range<Int>, VaultError.Fault)] = [
            (31..<47, .wrongKey(.passphrase)), (47..<119, .wrongKey(.passphrase)), (120..<126, .damaged(.contents)),
            (131..<155, .damaged(.contents)),
        ]
        for (range, expected) in expectations {
            for index in range {
                var front = Array(bytes[..<155])
                front[index] ^= 0x10
                let check = sha256 { $0.append(front.span) }.first
                front.append(check)
                try put(front + bytes[171...], at: home.path("vault"))
                try expectEqual(home.vault.openingFault(), expected)
            }
        }
    }

    @Test func `rejects bytes after the end`() throws {
        let home = try savedHome()
        let bytes = try #require(contents(of: home.path("vault")))
        try put(bytes + [0], at: home.path("vault"))
        try expectEqual(home.vault.openingFault(), .damaged(.contents))
    }

    @Test func `rejects a file that is not a vault as foreign`() throws {
        let home = try savedHome()
        for text in ["SQLite format 3\0", "{}", "inkling", "\u{89}PNG\r\n"] {
            try put(Array(text.utf8), at: home.path("vault"))
            try expectEqual(home.vault.openingFault(), .foreign)
            expectEqual(contents(of: home.path("vault")), Array(text.utf8))
        }
    }

    @Test func `rejects a vault of a later version and names the version`() throws {
        let home = try savedHome()
        var bytes = try #require(contents(of: home.path("vault")))
        bytes[8] = 2
        try put(Array(bytes[..<9]) + [1, 2, 3], at: home.path("vault"))
        try expectEqual(home.vault.openingFault(), .newerVersion(found: 2))
    }

    @Test func `rejects a file of a tebibyte without reading it`() throws {
        let home = try savedHome()
        unsafe truncate(home.path("vault"), 1 << 40)
        try expectEqual(home.vault.openingFault(), .tooLarge(bytes: 1 << 40, limit: 64 << 20))
    }

    @Test func `reports a directory, a FIFO or a symbolic link in the place of the vault`() throws {
        let home = try savedHome()
        let path = home.path("vault")
        unsafe unlink(path)
        unsafe mkdir(path, 0o700)
        try expectEqual(home.vault.openingFault(), .notAFile(.directory))
        unsafe rmdir(path)
        unsafe mkfifo(path, 0o600)
        try expectEqual(home.vault.openingFault(), .notAFile(.fifo))
        unsafe unlink(path)
        unsafe symlink("/etc/passwd", path)
        try expectEqual(home.vault.openingFault(), .notAFile(.symbolicLink))
        let found = try home.vault.creationFault()
        expectEqual(found, .exists)
    }

    @Test func `distinguishes a missing vault, a missing home and a home that is a file`() throws {
        let home = try TemporaryHome()
        let key = try passphrase()
        #expect(throws: VaultError(.missing, home.path("vault"))) { try { _ = try home.vault.open(with: key) }() }
        expectEqual(home.names, [])
        let absent = VaultFile(home: home.path("absent"))
        #expect(throws: VaultError(.missing, absent.home)) { try absent.header() }
        try put([], at: home.path("file"))
        let file = VaultFile(home: home.path("file"))
        #expect(throws: VaultError(.notAFile(.file), file.home)) { try file.header() }
    }

    @Test(arguments: [0o604, 0o640, 0o660, 0o777] as [mode_t])
    func `rejects a file that other users can access and names its path and mode`(mode: mode_t) throws {
        for name in ["vault", "lock", "generation"] {
            let home = try savedHome()
            unsafe chmod(home.path(name), mode)
            let key = try passphrase()
            #expect(throws: VaultError(.unsafePermissions(mode: mode), home.path(name))) {
                try { _ = try home.vault.open(with: key) }()
            }
        }
    }

    @Test(arguments: [0o701, 0o750, 0o777] as [mode_t])
    func `rejects a home that other users can access and names its path and mode`(mode: mode_t) throws {
        let home = try savedHome()
        unsafe chmod(home.path, mode)
        #expect(throws: VaultError(.unsafePermissions(mode: mode), home.path)) { try home.vault.header() }
    }

    @Test(.enabled(if: geteuid() == 0, "changing the owner of a file requires root"))
    func `rejects a home or a vault of another user`() throws {
        let home = try savedHome()
        unsafe chown(home.path("vault"), 65_534, 65_534)
        try expectEqual(home.vault.openingFault(), .foreignOwner(user: 65_534))
        unsafe chown(home.path("vault"), 0, 0)
        unsafe chown(home.path, 65_534, 65_534)
        try expectEqual(home.vault.openingFault(), .foreignOwner(user: 65_534))
    }

    /// Covers INK-VLT-024.
    @Test func `rejects a vault that belongs to another kind of clock`() throws {
        let real = try savedHome()
        let key = try passphrase()
        let found = fault { () throws(VaultError) in _ = try real.vault.open(with: key, acceleratedClock: true) }
        expectEqual(found, .wrongClock(vault: .real))

        let fast = try TemporaryHome()
        let clock = VaultClock.accelerated(rate: 60, anchor: 1_785_600_000_000)
        do { _ = try fast.vault.create(emptyContents(), key: passphrase(), cost: .forTests, clock: clock) }
        try expectEqual(fast.vault.openingFault(), .wrongClock(vault: clock))
        let vault = try fast.vault.open(with: passphrase(), acceleratedClock: true)
        expectEqual(vault.header.clock, clock)
    }

    /// Covers INK-VLT-010.
    @Test func `contents that exceed a limit are not saved, and the vault stays unchanged`() throws {
        let home = try TemporaryHome()
        var vault = try home.vault.createCheaply()
        let before = contents(of: home.path("vault"))
        vault.contents.card = [UInt8](repeating: 0, count: 2049)
        let found = fault { () throws(VaultError) in try vault.save() }
        expectEqual(found, .contentsOutOfBounds(.card))
        expectEqual(contents(of: home.path("vault")), before)
        vault.contents.card = [9]
        #expect(fault { () throws(VaultError) in try vault.save() } == nil)
    }

    /// Covers INK-GRA-008, INK-VLT-029.
    @Test func `error messages contain no key and no name`() throws {
        let home = try TemporaryHome()
        var stored = try fullContents()
        stored.displayName = "canary-name"
        stored.contacts[0].petname = "canary-petname"
        var vault = try home.vault.create(stored, key: passphrase("canary-passphrase"), cost: .forTests)
        var messages: [String] = []
        func note(_ action: () throws -> Void) throws {
            let error = try #require(throws: VaultError.self, performing: action)
            messages += ["\(error)", String(reflecting: error), "\(error.fault)", String(reflecting: error.fault)]
        }
        try note { _ = try home.vault.create(stored, key: passphrase("canary-passphrase"), cost: .forTests) }
        vault.contents.displayName = String(repeating: "canary-name", count: 10)
        let tooLong = fault { () throws(VaultError) in try vault.save() }
        messages.append(String(reflecting: tooLong))
        _ = consume vault
        let bytes = try #require(contents(of: home.path("vault")))
        try note { _ = try home.vault.open(with: passphrase("canary-passphrasf")) }
        try note { _ = try home.vault.open(with: passphrase("canary-passphrase"), acceleratedClock: true) }
        unsafe unlink(home.path("generation"))
        try note { _ = try home.vault.open(with: passphrase("canary-passphrase")) }
        for change in [0, 8, 40, 200, bytes.count - 1] {
            var changed = bytes
            changed[change] ^= 2
            try put(changed, at: home.path("vault"))
            try note { _ = try home.vault.open(with: passphrase("canary-passphrase")) }
        }
        let secrets = ["canary", hex(exampleRoot), "a1a1a1a1", "161, 161", "b0b0b0b0", "176, 176"]
        expectEqual(messages.count, 37)
        for message in messages { expectEqual(secrets.filter { message.contains($0) }, []) }
    }

    @Test func `an error message has the path, the fault and a remedy`() {
        expectEqual(
            VaultError(.alreadyRunning(process: 42), "/home/a").description,
            "/home/a: in use by process 42; stop it first")
        expectEqual(
            VaultError(.unsafePermissions(mode: 0o20), "/v").description,
            "/v: mode 0020 lets other users in; check who changed it, then remove the group and other bits")
        expectEqual(
            VaultError(.restoredOldCopy(vault: 3, expected: 9), "/v").description,
            "/v: an old copy: generation 3 instead of 9; adopt it as restored, or restore the newer one")
    }
}

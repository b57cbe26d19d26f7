import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private func keyFileFault(_ path: String) -> VaultError.Fault? {
    fault { () throws(VaultError) in _ = try VaultKey.keyFile(at: path) }
}

@Suite struct `Keys of a vault` {
    @Test func `a vault created with a key file opens with the same bytes at any path`() throws {
        let home = try TemporaryHome()
        let elsewhere = try TemporaryHome()
        try put([UInt8](repeating: 7, count: 32), at: elsewhere.path("key"))
        try put([UInt8](repeating: 7, count: 32), at: elsewhere.path("copy"), mode: 0o400)
        try put([UInt8](repeating: 8, count: 32), at: elsewhere.path("other"))
        do {
            _ = try home.vault.create(emptyContents(), key: VaultKey.keyFile(at: elsewhere.path("key")))
        }
        #expect(try home.vault.header().method == .keyFile)
        #expect(try home.vault.header().cost == nil)
        #expect(try home.vault.open(with: VaultKey.keyFile(at: elsewhere.path("copy"))).contents.displayName == "Ada")
        let found = fault { () throws(VaultError) in
            _ = try home.vault.open(with: VaultKey.keyFile(at: elsewhere.path("other")))
        }
        #expect(found == .wrongKey(.keyFile))
    }

    @Test func `a vault created with a credential does not open with a key file of the same bytes`() throws {
        let home = try TemporaryHome()
        let credentials = try TemporaryHome()
        try put([UInt8](repeating: 7, count: 32), at: credentials.path("inkling"), mode: 0o440)
        do {
            let key = try VaultKey.systemCredential(named: "inkling", in: credentials.path)
            _ = try home.vault.create(emptyContents(), key: key)
        }
        let key = try VaultKey.systemCredential(named: "inkling", in: credentials.path)
        #expect(try home.vault.open(with: key).contents.displayName == "Ada")
        try put([UInt8](repeating: 7, count: 32), at: credentials.path("file"))
        let found = fault { () throws(VaultError) in
            _ = try home.vault.open(with: VaultKey.keyFile(at: credentials.path("file")))
        }
        #expect(found == .otherKeyNeeded(.systemCredential))
    }

    @Test func `the wrapping key of a key file agrees with an independent implementation`() throws {
        let home = try TemporaryHome()
        try put([UInt8](repeating: 7, count: 32), at: home.path("key"))
        let key = try VaultKey.keyFile(at: home.path("key")).wrappingKey(salt: octets(1).first, cost: nil)
        #expect(key.withBytes { hex($0) } == "f9e5bf6c4b15b7864503f341b1f8e26090d50ed9cdb041f2dbcd53978fc4c9ee")
    }

    @Test(arguments: ["", "a/b", "../inkling", "absent"])
    func `reports a credential that does not exist as missing`(name: String) throws {
        let credentials = try TemporaryHome()
        let found = fault { () throws(VaultError) in
            _ = try VaultKey.systemCredential(named: name, in: credentials.path)
        }
        #expect(found == .keyMissing(.systemCredential))
    }

    @Test func `without a credentials directory every credential is missing`() {
        let found = fault { () throws(VaultError) in _ = try VaultKey.systemCredential(named: "inkling", in: nil) }
        #expect(found == .keyMissing(.systemCredential))
    }

    @Test func `rejects a key file of the wrong length, mode or kind, and a missing one`() throws {
        let home = try TemporaryHome()
        try put([UInt8](repeating: 1, count: 31), at: home.path("short"))
        try put([UInt8](repeating: 1, count: 4097), at: home.path("long"))
        try put([UInt8](repeating: 1, count: 32), at: home.path("shared"), mode: 0o640)
        unsafe mkfifo(home.path("fifo"), 0o600)
        #expect(keyFileFault(home.path("short")) == .keyLength(.keyFile, bytes: 31, allowed: 32...4096))
        #expect(keyFileFault(home.path("long")) == .keyLength(.keyFile, bytes: 4097, allowed: 32...4096))
        #expect(keyFileFault(home.path("shared")) == .unsafePermissions(mode: 0o640))
        #expect(keyFileFault(home.path("fifo")) == .notAFile(.fifo))
        #expect(keyFileFault(home.path) == .notAFile(.directory))
        #expect(keyFileFault(home.path("absent")) == .keyMissing(.keyFile))
    }

    @Test func `a key file can be opened through a symbolic link`() throws {
        let home = try TemporaryHome()
        try put([UInt8](repeating: 1, count: 4096), at: home.path("key"))
        unsafe symlink(home.path("key"), home.path("link"))
        #expect(keyFileFault(home.path("link")) == nil)
    }

    @Test(arguments: [0, 1025])
    func `rejects a passphrase that is empty or longer than 1,024 bytes`(count: Int) {
        var isRefused = true
        if VaultKey(passphrase: secret(0x61, count: count)) != nil { isRefused = false }
        #expect(isRefused)
    }

    @Test func `different salts and costs derive different keys from one passphrase`() throws {
        let key = try passphrase()
        func wrapping(_ salt: UInt8, _ cost: PassphraseCost?) throws -> Octets32? {
            try key.wrappingKey(salt: octets(salt).first, cost: cost).withBytes { Octets32($0) }
        }
        let one = try wrapping(1, .forTests)
        #expect(try wrapping(1, .forTests) == one)
        #expect(try wrapping(2, .forTests) != one)
        #expect(try wrapping(1, PassphraseCost(stored: 2, kibibytes: 8)) != one)
    }

    @Test func `Argon2id agrees with an independent implementation`() throws {
        // Python's cryptography 48.0.0 (OpenSSL): "correct horse", salt 16 times 01, one pass, 8 KiB, one lane.
        let key = try passphrase().wrappingKey(salt: octets(1).first, cost: .forTests)
        #expect(key.withBytes { hex($0) } == "1e72478b938526616c9438906e0e74c3ac199561032e12fedac5f2526ef9a3b0")
    }
}

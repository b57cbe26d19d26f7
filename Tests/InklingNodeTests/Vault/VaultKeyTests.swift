import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingNode

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private func keyFileFault(_ path: String) -> VaultError.Fault? {
    fault { () throws(VaultError) in _ = try VaultKey.keyFile(at: path) }
}

@Suite struct `Keys of a vault` {
    @Test func `a vault made with a key file opens with the same bytes at any path`() throws {
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

    @Test func `a vault made with a credential opens with it and not with a key file of the same bytes`() throws {
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

    @Test func `a key file gives the wrapping key that an independent derivation gives`() throws {
        let home = try TemporaryHome()
        try put([UInt8](repeating: 7, count: 32), at: home.path("key"))
        let key = try VaultKey.keyFile(at: home.path("key")).wrappingKey(salt: octets(1).first, cost: nil)
        #expect(key.withBytes { hex($0) } == "f9e5bf6c4b15b7864503f341b1f8e26090d50ed9cdb041f2dbcd53978fc4c9ee")
    }

    @Test(arguments: ["", "a/b", "../inkling", "absent"])
    func `a credential that is not there is said to be missing`(name: String) throws {
        let credentials = try TemporaryHome()
        let found = fault { () throws(VaultError) in
            _ = try VaultKey.systemCredential(named: name, in: credentials.path)
        }
        #expect(found == .keyMissing(.systemCredential))
    }

    @Test func `without a directory of credentials every credential is missing`() {
        let found = fault { () throws(VaultError) in _ = try VaultKey.systemCredential(named: "inkling", in: nil) }
        #expect(found == .keyMissing(.systemCredential))
    }

    @Test func `a key file is refused for its length, its mode, its kind and its absence`() throws {
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

    @Test func `a key file may be reached through a link`() throws {
        let home = try TemporaryHome()
        try put([UInt8](repeating: 1, count: 4096), at: home.path("key"))
        unsafe symlink(home.path("key"), home.path("link"))
        #expect(keyFileFault(home.path("link")) == nil)
    }

    @Test(arguments: [0, 1025])
    func `a passphrase has 1 to 1,024 bytes`(count: Int) {
        var isRefused = true
        if VaultKey(passphrase: secret(0x61, count: count)) != nil { isRefused = false }
        #expect(isRefused)
    }

    @Test func `different salts and different costs make different keys of one passphrase`() throws {
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

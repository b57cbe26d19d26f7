import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private let examplePeriodStart = UInt64(examplePeriod.number) * Period.seconds

/// Backs up a vault with `contents` at a time, and returns the backup as it is read back.
private func backup(
    of contents: VaultContents, at date: UInt64 = examplePeriodStart, profile: [UInt8]? = nil
) throws -> Backup {
    let home = try TemporaryHome()
    do { _ = try home.vault.createCheaply(contents) }
    let made = try Backup(of: home.vault, with: passphrase(), profile: profile, date: date)
    let bytes = try made.sealed(with: passphrase("of the backup"), cost: .forTests, path: "backup")
    return try BackupFile(parsing: bytes, path: "backup").open(with: passphrase("of the backup"))
}

private func sealedBackup() throws -> [UInt8] {
    let home = try TemporaryHome()
    do { _ = try home.vault.createCheaply(try fullContents()) }
    return try Backup(of: home.vault, with: passphrase(), profile: Array("{}".utf8), date: examplePeriodStart)
        .sealed(with: passphrase(), cost: .forTests, path: "backup")
}

private func openingFault(_ bytes: [UInt8], _ key: String = "correct horse") throws -> VaultError.Fault? {
    let key = try passphrase(key)
    return fault { () throws(VaultError) in _ = try BackupFile(parsing: bytes, path: "backup").open(with: key) }
}

@Suite struct `A backup` {
    /// Covers INK-BAK-001, INK-BAK-003.
    @Test func `holds identity, contacts, date and profile, and no root that was ever in force`() throws {
        let before = try fullContents()
        let copy = try backup(of: before, profile: [1, 2, 3])
        #expect(copy.date == examplePeriodStart)
        #expect(copy.profile == [1, 2, 3])
        #expect(copy.generation == 1)
        #expect(copy.contents.contacts.map(\.user) == before.contacts.map(\.user))
        #expect(copy.contents.rootSeed?.value.withBytes { Octets32($0) } == octets(0xa2))
        #expect(copy.contents.audiences.map(\.id) == before.audiences.map(\.id))
        #expect(copy.contents.audiences.map(\.generation) == before.audiences.map(\.generation))
        for (kept, old) in zip(copy.contents.audiences, before.audiences) {
            let kept = try unwrap(kept.tree.value.periodKey(examplePeriod))
            let old = try unwrap(old.tree.value.periodKey(examplePeriod))
            #expect(
                kept.deviceKeys(.first).mdns.serviceName(examplePeriod.firstEpoch)
                    != old.deviceKeys(.first).mdns.serviceName(examplePeriod.firstEpoch))
        }
        #expect(copy.contents.answeredMessages.isEmpty)
        #expect(copy.contents.vouches.isEmpty)
    }

    /// Covers INK-BAK-002.
    @Test func `holds no key of a past period, and believes no clock that is a year ahead`() throws {
        let later = examplePeriodStart + 100 * Period.seconds
        var contents = try fullContents()
        contents.latestAcceptedTime = later
        let grant = try #require(try backup(of: contents, at: later).contents.contacts.first?.grants.first)
        #expect(grant.tree.value.interval?.lowerBound == examplePeriod.number + 99)
        contents.latestAcceptedTime = examplePeriodStart
        // 744 periods after the latest accepted time no key of the grant of 720 periods is left; a year would cost no more.
        let year = try backup(of: contents, at: later + 365 * 86_400)
        #expect(year.contents.contacts.first?.grants.isEmpty == true)
        contents.latestAcceptedTime = examplePeriodStart - 500 * Period.seconds
        let kept = try #require(
            try backup(of: contents, at: later + 365 * 86_400).contents.contacts.first?.grants.first)
        #expect(kept.tree.value.interval?.lowerBound == examplePeriod.number + 243)
    }

    /// Covers INK-BAK-004.
    @Test func `two backups of one vault share no salt, no nonce and no sealed bytes`() throws {
        let home = try TemporaryHome()
        do { _ = try home.vault.createCheaply(try fullContents()) }
        let copies = try (0..<2).map { _ in
            try Backup(of: home.vault, with: passphrase(), profile: nil, date: 1)
                .sealed(with: passphrase(), cost: .forTests, path: "backup")
        }
        #expect(copies[0][31..<47] != copies[1][31..<47])
        #expect(copies[0][47..<119] != copies[1][47..<119])
        #expect(copies[0][131..<155] != copies[1][131..<155])
        #expect(copies[0].suffix(64) != copies[1].suffix(64))
    }

    /// Covers INK-BAK-005.
    @Test func `is made while another process holds the lock, and leaves the vault as it is`() throws {
        let home = try TemporaryHome()
        let vault = try home.vault.createCheaply(try fullContents())
        let files = [contents(of: home.path("vault")), contents(of: home.path("generation"))]
        _ = try Backup(of: home.vault, with: passphrase(), profile: nil, date: 1)
        #expect(vault.header.generation == 1)
        #expect([contents(of: home.path("vault")), contents(of: home.path("generation"))] == files)
    }

    /// Covers INK-BAK-005.
    @Test func `is not made from an old copy of the vault`() throws {
        let home = try TemporaryHome()
        let old: [UInt8]
        do {
            var vault = try home.vault.createCheaply(try fullContents())
            old = try #require(contents(of: home.path("vault")))
            try vault.save()
        }
        try put(old, at: home.path("vault"))
        let key = try passphrase()
        let found = fault { () throws(VaultError) in _ = try Backup(of: home.vault, with: key, profile: nil, date: 1) }
        #expect(found == .restoredOldCopy(vault: 1, expected: 2))
    }

    /// Covers INK-BAK-006.
    @Test func `a device without the identity makes none`() throws {
        let home = try TemporaryHome()
        do { _ = try home.vault.createCheaply() }
        let key = try passphrase()
        let found = fault { () throws(VaultError) in _ = try Backup(of: home.vault, with: key, profile: nil, date: 1) }
        #expect(found == .notPrimary)
    }

    /// Covers INK-BAK-010.
    @Test func `a vault is no backup, a backup is no vault, and every changed or missing byte is refused`() throws {
        let bytes = try sealedBackup()
        #expect(try openingFault(bytes) == nil)
        #expect(try openingFault(bytes, "wrong") == .wrongKey(.passphrase))
        let home = try TemporaryHome()
        try put(bytes, at: home.path("vault"))
        #expect(try home.vault.openingFault() == .foreign)
        let other = try TemporaryHome()
        do { _ = try other.vault.createCheaply(try fullContents()) }
        #expect(try openingFault(try #require(contents(of: other.path("vault")))) == .notABackup)
        for index in bytes.indices where index < 180 || index % 37 == 0 {
            var changed = bytes
            changed[index] ^= 0x01
            #expect(try openingFault(changed) != nil, "byte \(index)")
        }
        for length in [0, 7, 8, 9, 170, 171, bytes.count - 1] {
            #expect(try openingFault(Array(bytes[..<length])) != nil, "\(length) bytes")
        }
        #expect(try openingFault(bytes + [0]) == .damaged(.contents))
    }

    /// Covers INK-BAK-011.
    @Test func `what is restored from it is a marked copy whose contacts are all to be reviewed`() throws {
        var before = try fullContents()
        before.restored = nil
        for index in before.contacts.indices { before.contacts[index].needsReview = false }
        let restored = try backup(of: before).restoredContents(vouches: .clock)
        #expect(restored.restored == RestoredCopy(generation: 1, latestAcceptedTime: before.latestAcceptedTime))
        #expect(restored.restoredFrom == examplePeriodStart)
        #expect(restored.contacts.map(\.needsReview) == [true, true])
        #expect(restored.vouches == .clock)
        // Adopted once more before it began its generations, it is still the copy of that date.
        let home = try TemporaryHome()
        do { _ = try home.vault.createCheaply(restored) }
        let again = try home.vault.open(with: passphrase(), adoptingRestoredCopy: true)
        #expect(again.contents.restoredFrom == examplePeriodStart)
    }
}

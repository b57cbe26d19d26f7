import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Creates a home at generation 5, and returns it with a copy of its vault at generation 2.
private func homeWithOldCopy() throws -> (home: TemporaryHome, old: [UInt8]) {
    let home = try TemporaryHome()
    var vault = try home.vault.createCheaply(try fullContents())
    vault.contents.restored = nil
    for index in vault.contents.contacts.indices { vault.contents.contacts[index].needsReview = false }
    try vault.save()
    let old = try #require(contents(of: home.path("vault")))
    for _ in 0..<3 { try vault.save() }
    return (home, old)
}

@Suite struct `A restored copy of a vault` {
    /// Covers INK-VLT-025.
    @Test func `an old copy of the vault is detected and left unchanged`() throws {
        let (home, old) = try homeWithOldCopy()
        #expect(try home.vault.openingFault() == nil)
        try put(old, at: home.path("vault"))
        for _ in 0..<2 {
            #expect(try home.vault.openingFault() == .restoredOldCopy(vault: 2, expected: 5))
            #expect(contents(of: home.path("vault")) == old)
        }
    }

    /// Covers INK-VLT-027.
    @Test func `an adopted copy is marked, its contacts need review, and it becomes the newest generation`() throws {
        let (home, old) = try homeWithOldCopy()
        try put(old, at: home.path("vault"))
        do {
            let vault = try home.vault.open(with: passphrase(), adoptingRestoredCopy: true)
            #expect(vault.header.generation == 6)
        }
        let vault = try home.vault.open(with: passphrase())
        #expect(vault.contents.restored == RestoredCopy(generation: 2, latestAcceptedTime: 1_785_600_000))
        #expect(vault.contents.contacts.map(\.needsReview) == [true, true])
    }

    @Test func `a vault without a counter opens only as an adopted copy`() throws {
        let (home, _) = try homeWithOldCopy()
        unsafe unlink(home.path("generation"))
        #expect(try home.vault.openingFault() == .counterMissing(vault: 5))
        #expect(home.names == ["lock", "vault"])
        do { _ = try home.vault.open(with: passphrase(), adoptingRestoredCopy: true) }
        #expect(try home.vault.openingFault() == nil)
    }

    @Test func `a vault of generation 1 without a counter is rejected too`() throws {
        let home = try TemporaryHome()
        do { _ = try home.vault.createCheaply() }
        unsafe unlink(home.path("generation"))
        #expect(try home.vault.openingFault() == .counterMissing(vault: 1))
    }

    @Test func `rejects a counter with a flipped bit, a truncated one and that of another vault as damaged`() throws {
        let (home, _) = try homeWithOldCopy()
        let counter = try #require(contents(of: home.path("generation")))
        #expect(counter.count == GenerationCounter.byteCount)
        for index in counter.indices {
            var changed = counter
            changed[index] ^= 1 << UInt8(index % 8)
            try put(changed, at: home.path("generation"))
            #expect(try home.vault.openingFault() == .damaged(.counter))
        }
        for length in counter.indices {
            try put(Array(counter[..<length]), at: home.path("generation"))
            #expect(try home.vault.openingFault() == .damaged(.counter))
        }
        let other = try homeWithOldCopy().home
        try put(try #require(contents(of: other.path("generation"))), at: home.path("generation"))
        #expect(try home.vault.openingFault() == .damaged(.counter))
        try put(counter, at: home.path("generation"))
        #expect(try home.vault.openingFault() == nil)
    }

    /// Covers INK-VLT-007, INK-VLT-026.
    @Test func `accepts a counter that is behind, as after a crash between writing the two files`() throws {
        let home = try TemporaryHome()
        var vault = try home.vault.createCheaply()
        for saves in 1...3 {
            let behind = try #require(contents(of: home.path("generation")))
            for _ in 0..<saves { try vault.save() }
            try put(behind, at: home.path("generation"))
        }
        let generation = vault.header.generation
        _ = consume vault
        let opened = try home.vault.open(with: passphrase())
        #expect(opened.header.generation == generation)
        #expect(opened.contents.restored == nil)
    }

    @Test func `an unfinished replacement is removed when the vault is opened`() throws {
        let (home, old) = try homeWithOldCopy()
        try put(Array(old.prefix(100)), at: home.path("vault.new"))
        try put([], at: home.path("generation.new"))
        #expect(try home.vault.openingFault() == nil)
        #expect(home.names == ["generation", "lock", "vault"])
    }

    @Test func `creates a vault in a home that contains only a counter`() throws {
        let (home, _) = try homeWithOldCopy()
        unsafe unlink(home.path("vault"))
        do { _ = try home.vault.createCheaply() }
        #expect(try home.vault.openingFault() == nil)
    }
}

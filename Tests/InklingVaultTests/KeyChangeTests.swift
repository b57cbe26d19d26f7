import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

/// Returns which of two passphrases open the vault of a home.
private func opening(_ home: TemporaryHome, _ texts: [String]) throws -> [String] {
    try texts.filter { try home.vault.openingFault($0) == nil }
}

@Suite struct `The key of a vault` {
    /// Covers INK-VLT-034.
    @Test func `after a change the new key alone opens the vault, with the same contents`() throws {
        let home = try TemporaryHome()
        let before = try fullContents()
        do {
            var vault = try home.vault.createCheaply(before)
            try vault.changeKey(to: passphrase("new horse"), cost: .forTests)
            #expect(vault.header.generation == 3)
            try vault.save()
        }
        #expect(try home.vault.openingFault() == .wrongKey(.passphrase))
        var expected = before
        expected.formerCounterKey = nil
        do {
            let vault = try home.vault.open(with: passphrase("new horse"))
            #expect(try encoded(vault.contents) == encoded(expected))
        }
        // To a key file, and back.
        try put([UInt8](repeating: 7, count: 32), at: home.path("key"))
        do {
            var vault = try home.vault.open(with: passphrase("new horse"))
            try vault.changeKey(to: VaultKey.keyFile(at: home.path("key")))
        }
        #expect(try home.vault.header().method == .keyFile)
        #expect(try home.vault.header().cost == nil)
        #expect(try home.vault.openingFault("new horse") == .otherKeyNeeded(.keyFile))
        do {
            var vault = try home.vault.open(with: VaultKey.keyFile(at: home.path("key")))
            try vault.changeKey(to: passphrase(), cost: .forTests)
        }
        #expect(try home.vault.openingFault() == nil)
    }

    /// Covers INK-VLT-034.
    @Test func `no earlier header opens what is saved after a change`() throws {
        let home = try TemporaryHome()
        let earlier: [UInt8]
        do {
            var vault = try home.vault.createCheaply(try fullContents())
            earlier = try #require(contents(of: home.path("vault")))
            try vault.changeKey(to: passphrase("new horse"), cost: .forTests)
        }
        let later = try #require(contents(of: home.path("vault")))
        // The wrapped data key of the earlier header, which the earlier passphrase unwraps, before the later contents.
        let header = try VaultHeader(parsing: earlier.span)
        let sealed = Array(later.dropFirst(VaultHeader.byteCount))
        let wrapping = try passphrase().wrappingKey(salt: header.salt, cost: header.cost)
        let dataKey = try header.unwrap(under: wrapping, sealed: sealed.span)
        let laterHeader = try VaultHeader(parsing: later.span)
        #expect(throws: VaultError.Fault.damaged(.contents)) {
            _ = try laterHeader.plaintext(of: sealed.span, with: dataKey)
        }
        // The earlier file beside the later counter.
        try put(earlier, at: home.path("vault"))
        #expect(try home.vault.openingFault() == .damaged(.counter))
    }

    /// Covers INK-VLT-035.
    @Test func `a crash between the two files of a change leaves a vault that the new key opens`() throws {
        let home = try TemporaryHome()
        let counter: [UInt8]
        do {
            var vault = try home.vault.createCheaply(try fullContents())
            for _ in 0..<3 { try vault.save() }
            counter = try #require(contents(of: home.path("generation")))
            // Saved once under the new key, before the counter follows.
            try vault.beginChange(to: passphrase("new horse"), cost: .forTests)
            try vault.save()
        }
        try put(counter, at: home.path("generation"))
        #expect(try opening(home, ["correct horse", "new horse"]) == ["new horse"])
        // The next save ends the exception.
        do {
            var vault = try home.vault.open(with: passphrase("new horse"))
            #expect(vault.contents.formerCounterKey != nil)
            try vault.save()
        }
        do {
            let vault = try home.vault.open(with: passphrase("new horse"))
            #expect(vault.contents.formerCounterKey == nil)
        }
        // The counter of the former key is of no more use.
        do {
            var vault = try home.vault.open(with: passphrase("new horse"))
            try vault.save()
        }
        try put(counter, at: home.path("generation"))
        #expect(try home.vault.openingFault("new horse") == .damaged(.counter))
    }

    /// Covers INK-VLT-035.
    @Test func `a process killed while changing the key leaves exactly one of the two keys that opens`() throws {
        let home = try TemporaryHome()
        var vault = try home.vault.createCheaply(try fullContents())
        let states = try home.states { try vault.changeKey(to: passphrase("new horse"), cost: .forTests) }
        var outcomes: [String] = []
        for state in states {
            let left = try TemporaryHome(state)
            let keys = try opening(left, ["correct horse", "new horse"])
            let key = try #require(keys.first)
            try #require(keys.count == 1, "\(state.mapValues(\.count))")
            outcomes.append(key)
            // The leftover files do not keep another change from completing, whenever that one is killed.
            var opened = try left.vault.open(with: passphrase(key))
            let later = try left.states { try opened.changeKey(to: passphrase("third horse"), cost: .forTests) }
            for state in later { #expect(try opening(TemporaryHome(state), [key, "third horse"]).count == 1) }
        }
        // The key changes at one moment, which is neither the first step nor the last.
        #expect(outcomes.count >= 14 && outcomes.first == "correct horse" && outcomes.last == "new horse")
        #expect(Set(outcomes).count == 2 && zip(outcomes, outcomes.dropFirst()).count { $0 != $1 } == 1)
    }
}

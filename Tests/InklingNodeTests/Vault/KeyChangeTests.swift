import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingNode

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
        // The counter of the key before is of no more use.
        do {
            var vault = try home.vault.open(with: passphrase("new horse"))
            try vault.save()
        }
        try put(counter, at: home.path("generation"))
        #expect(try home.vault.openingFault("new horse") == .damaged(.counter))
    }

    /// Covers INK-VLT-035.
    @Test func `a process killed while changing the key leaves exactly one of the two keys that opens`() async throws {
        let home = try TemporaryHome()
        do { _ = try home.vault.createCheaply(try fullContents()) }
        var random = SeededGenerator(seed: 0x9e2)
        var outcomes: Set<String> = []
        // On a busy machine a process needs longer before it has changed anything.
        for round in 0..<150 where round < 30 || outcomes.count < 2 {
            let delay = UInt32.random(in: 200...12_000 + 1_000 * UInt32(round), using: &random)
            await #expect(processExitsWith: .signal(SIGALRM)) { [path = home.path as String, delay = delay as UInt32] in
                try changeUntilKilled(at: path, afterMicroseconds: delay)
            }
            let keys = try opening(home, ["correct horse", "new horse"])
            let faults = try ["correct horse", "new horse"].map { try home.vault.openingFault($0) }
            #expect(keys.count == 1, "\(faults)")
            outcomes.formUnion(keys)
        }
        #expect(outcomes == ["correct horse", "new horse"])
    }
}

/// Changes the key between two passphrases until the process is killed.
private func changeUntilKilled(at path: String, afterMicroseconds delay: UInt32) throws {
    var texts = ["correct horse", "new horse"]
    if try VaultFile(home: path).openingFault(texts[0]) != nil { texts.swapAt(0, 1) }
    var vault = try VaultFile(home: path).open(with: passphrase(texts[0]))
    signal(SIGALRM, SIG_DFL)
    var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: 0, tv_usec: Int(delay)))
    _ = unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    while true {
        texts.swapAt(0, 1)
        try vault.changeKey(to: passphrase(texts[0]), cost: .forTests)
    }
}

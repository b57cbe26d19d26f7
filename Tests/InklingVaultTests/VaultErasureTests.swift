import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Returns the node keys of a tree.
private func nodeKeys(_ tree: borrowing AudienceTree) -> Set<Octets32> {
    tree.withKeyBytes { bytes in
        Set(stride(from: 0, to: bytes.count, by: 32).compactMap { Octets32(bytes.extracting($0..<$0 + 32)) })
    }
}

private func periodKey(_ tree: borrowing AudienceTree, _ period: Period) -> Octets32? {
    tree.periodKey(period)?.withBytes { Octets32($0) }
}

/// Returns the keys that occur anywhere in the bytes.
private func keys(_ keys: Set<Octets32>, in bytes: [UInt8]) -> Set<Octets32> {
    guard bytes.count >= 32 else { return [] }
    return Set((0...bytes.count - 32).compactMap { Octets32(bytes.span.extracting($0..<$0 + 32)) }).intersection(keys)
}

private func bytes(at path: String) -> [UInt8]? { contents(of: path) }

@Suite struct `What a vault forgets` {
    /// Covers INK-GRA-020, INK-KEY-021, INK-VLT-011.
    @Test func `after 1,000 periods no retired key is in the home or in the decrypted contents`() throws {
        // In memory if possible, because a thousand saves to a disk are slow.
        let home = try (try? TemporaryHome(in: "/dev/shm")) ?? TemporaryHome()
        var contents = emptyContents()
        contents.audiences = [Audience(id: 1, generation: 1, tree: SecretBox(try ownedTree()))]
        contents.contacts = [try contact(0xb0)]
        var vault = try home.vault.createCheaply(contents)

        var retired: Set<Octets32> = []
        var period = examplePeriod
        for _ in 0..<1000 {
            let next = try #require(period.next)
            let tree = vault.contents.audiences[0].tree
            let before = nodeKeys(tree.value)
            retired.insert(try unwrap(periodKey(tree.value, period)))
            vault.contents.forgetPast(before: next)
            try vault.save()
            retired.formUnion(before.subtracting(nodeKeys(vault.contents.audiences[0].tree.value)))
            period = next
        }
        #expect(retired.count >= 1000)

        let file = try #require(bytes(at: home.path("vault")))
        let header = try VaultHeader(parsing: file.span)
        let sealed = Array(file[VaultHeader.byteCount...])
        let wrapping = try passphrase().wrappingKey(salt: header.salt, cost: header.cost)
        let plaintext = try header.plaintext(
            of: sealed.span, with: try header.unwrap(under: wrapping, sealed: sealed.span))
        let opened = plaintext.withBytes { bytes in
            var copy: [UInt8] = []
            copy.append(bytes)
            return copy
        }
        // The search works: it finds every key still held.
        let held = nodeKeys(vault.contents.audiences[0].tree.value)
        #expect(keys(held, in: opened) == held)
        #expect(keys(retired, in: opened) == [])
        for name in home.names {
            #expect(keys(retired.union(held), in: try #require(bytes(at: home.path(name)))) == [])
        }
        #expect(try encoded(try VaultContents(parsing: opened.span)) == opened)
        #expect(vault.contents.audiences[0].tree.value.interval == 497_000...1_048_575)
        #expect(vault.contents.contacts[0].grants.isEmpty)
    }
}

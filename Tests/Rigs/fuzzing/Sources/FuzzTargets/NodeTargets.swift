internal import InklingKeys
internal import InklingWire

@testable internal import InklingNode
@testable internal import InklingVault

extension FuzzTarget {
    static let nodeTargets = [
        // First byte 1: the check at the end of the header is corrected.
        FuzzTarget("vault-header") { input in
            guard !input.isEmpty else { return nil }
            var bytes = input.extracting(1...).array
            if input[0] == 1, bytes.count >= VaultHeader.byteCount {
                let end = VaultHeader.byteCount - 16
                let covered = Array(bytes[..<end])
                var check: [UInt8] = []
                check.append(sha256 { $0.append(covered.span) }.first)
                bytes.replaceSubrange(end..<VaultHeader.byteCount, with: check)
            }
            guard let header = try? VaultHeader(parsing: bytes.span) else { return nil }
            promise(Array(bytes.prefix(VaultHeader.byteCount)) == header.bytes, "a header is its bytes")
            if let cost = header.cost {
                promise(PassphraseCost.readableKibibytes.contains(cost.kibibytes), "memory is bounded")
                promise(PassphraseCost.readablePasses.contains(cost.passes), "time is bounded")
            }
            return UInt32(truncatingIfNeeded: header.generation & 0xffff)
        },

        FuzzTarget("vault-contents") { input in
            guard let contents = try? VaultContents(parsing: input) else { return nil }
            var writer = SecretWriter()
            do { try contents.write(to: &writer) } catch { brokenPromise("what was read can be written") }
            // Contents of earlier versions are written as version 4.
            promise(input[1] < 4 || writer.withBytes { $0.isEqual(to: input) }, "contents are their bytes")
            return contents.card.field()
        },

        // What is sealed in a backup: the date, the profile, and the contents of a vault.
        FuzzTarget("backup-contents") { input in
            let header = VaultHeader(
                .backup, method: .keyFile, clock: .real, cost: nil, salt: Octets16(high: 1, low: 2))
            guard let backup = try? BackupFile.backup(parsing: input, of: header) else { return nil }
            promise(backup.contents.rootSeed != nil, "a backup has the root seed")
            promise((backup.profile?.count ?? 0) <= Backup.profileLimit, "the profile is bounded")
            return UInt32(truncatingIfNeeded: backup.date & 0xffff)
        },

        // The two bytes before the text are the field.
        FuzzTarget("endpoint-text") { input in
            guard input.count >= 4, let text = input.extracting(4...).text,
                let endpoint = try? Endpoint(text: text)
            else { return nil }
            promise((try? Endpoint(text: endpoint.description)) == endpoint, "what is written reads the same")
            return input.tag
        },
    ]

    /// Seeds that are in no vector file, by target.
    static var examples: [(target: String, bytes: [UInt8])] {
        var examples: [(String, [UInt8])] = []
        for method in [VaultKey.Method.passphrase, .keyFile] {
            var header = VaultHeader(
                method: method, clock: .real, cost: method == .passphrase ? .floor : nil,
                salt: Octets16(high: 1, low: 2))
            header.wrapNonce = [UInt8](repeating: 1, count: 24)
            header.wrappedKey = [UInt8](repeating: 2, count: 48)
            header.contentsNonce = [UInt8](repeating: 3, count: 24)
            header.contentsByteCount = 500
            examples.append(("vault-header", [1] + header.bytes))
        }
        for isFull in [false, true] {
            var writer = SecretWriter()
            guard (try? contents(isFull: isFull)?.write(to: &writer)) != nil else { continue }
            examples.append(("vault-contents", writer.withBytes { $0.array }))
        }
        for profile in [[0], [1, 0, 0, 0, 2, 0x7b, 0x7d]] as [[UInt8]] {
            var writer = SecretWriter()
            guard let copied = contents(isFull: false, hasSeed: true), (try? copied.write(to: &writer)) != nil else {
                continue
            }
            let date: [UInt8] = [0, 0, 0, 0, 0x6a, 0x64, 0xf4, 0x40]
            examples.append(("backup-contents", date + profile + writer.withBytes { $0.array }))
        }
        return examples
    }

    private static func contents(isFull: Bool, hasSeed: Bool = false) -> VaultContents? {
        guard let hour = Period(496_000), let last = Period(496_719) else { return nil }
        let secret = { (first: UInt8) in SecretBox(SecretBytes(count: 32) { $0[0] = first }) }
        var seed: SecretBox<RootSeed>?
        if hasSeed, let drawn = RootSeed(SecretBytes(count: 32) { $0[0] = 6 }) { seed = SecretBox(drawn) }
        var contents = VaultContents(
            displayName: "Ada", rootSeed: seed, device: .first, noiseKey: secret(1), card: [0xa7, 0x3c, 3])
        guard isFull else { return contents }
        var tree = AudienceTree(root: SecretBytes(count: 32) { $0[0] = 2 })
        guard let part = tree.constrained(from: hour, to: last) else { return nil }
        tree.forget(before: hour)
        contents.audiences = [Audience(id: 7, generation: 1, tree: SecretBox(tree))]
        let number = PairwiseKeyNumber(rawValue: 1)
        guard
            let agreement = Agreement(
                standing: .complete, keys: [number], shared: number, turn: 0, grantedUntil: last)
        else { return nil }
        var contact = StoredContact(
            user: UserID(Octets16(high: 3, low: 4)), card: [4, 5, 6], petname: "Bo", agreement: agreement,
            pairwiseKeys: [StoredPairwiseKey(number: number, origin: .firstContact, key: secret(3))], added: hour)
        contact.grants = [
            ReceivedGrant(audience: 8, generation: 1, from: hour, to: last, devices: 1, tree: SecretBox(part))
        ]
        contact.reported = [IssuedGrant(audience: 9, generation: 1, to: last)]
        contents.contacts = [contact]
        contents.answeredMessages = [
            AnsweredMessage(
                epoch: hour.firstEpoch,
                ephemeral: Octets32(first: Octets16(high: 5, low: 6), second: Octets16(high: 7, low: 8)))
        ]
        contents.highWaterEpoch = hour.firstEpoch
        contents.latestAcceptedTime = 1_785_600_000
        contents.restored = RestoredCopy(generation: 4, latestAcceptedTime: nil)
        return contents
    }
}

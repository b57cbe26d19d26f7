internal import InklingKeys

/// A backup: the contents of a vault without what a copy must not use, and the profile of the home.
public struct Backup: Sendable {
    /// The contents from which a restored vault is made.
    public let contents: VaultContents
    /// The time of the backup, in seconds since 1970-01-01T00:00:00Z by the clock of that machine.
    public let date: UInt64
    /// The clock that the contents belong to.
    public let clock: VaultClock
    /// The number of times the vault had been saved.
    public let generation: UInt64
    /// The file with the profile of the home; nil for a home without one.
    public let profile: [UInt8]?

    /// The maximum length of the profile in a backup, in bytes.
    public static let profileLimit = 65_536

    /// Copies a vault for a backup. A node may run in the home meanwhile.
    ///
    /// - Parameters:
    ///   - vault: the vault.
    ///   - key: the key that unlocks it.
    ///   - profile: the file with the profile of the home, if it has one; at most `profileLimit` bytes.
    ///   - date: the time by the clock of the vault, in Unix seconds.
    /// - Throws: `VaultError`; `notPrimary` on a device without the identity, which is linked again, not restored.
    public init(
        of vault: VaultFile, with key: borrowing VaultKey, profile: [UInt8]?, date: UInt64
    ) throws(VaultError) {
        let (header, contents) = try vault.read(with: key)
        guard contents.rootSeed != nil else { throw VaultError(.notPrimary, vault.home) }
        guard profile.map({ $0.count <= Self.profileLimit }) != false else {
            throw VaultError(
                .tooLarge(bytes: UInt64(profile?.count ?? 0), limit: UInt64(Self.profileLimit)), vault.home)
        }
        var random = SystemRandomNumberGenerator()
        self.contents = contents.backedUp(at: date, using: &random)
        self.date = date
        clock = header.clock
        generation = header.generation
        self.profile = profile
    }

    init(contents: VaultContents, date: UInt64, clock: VaultClock, generation: UInt64, profile: [UInt8]?) {
        self.contents = contents
        self.date = date
        self.clock = clock
        self.generation = generation
        self.profile = profile
    }

    /// Returns the contents of a restored vault: marked as a copy, with every contact to be reviewed.
    ///
    /// - Parameter vouches: what the operator vouches for on the restoring machine.
    /// - Returns: contents for `VaultFile.create`.
    public func restoredContents(vouches: OperatorVouches) -> VaultContents {
        var restored = contents
        restored.vouches = vouches
        restored.noteCopy(of: generation, from: date)
        return restored
    }
}

extension VaultContents {
    /// The maximum lead of a believed clock over the latest accepted time: 31 days, in seconds.
    private static let longestAdvance: UInt64 = 744 * 3600

    /// Returns the contents for a backup: no key of a past period, no tree of an own audience that was ever in force,
    /// and nothing that belongs to this machine alone.
    func backedUp(at date: UInt64, using generator: inout some RandomNumberGenerator) -> VaultContents {
        var copy = self
        // A clock that is years ahead must not cost the keys of contacts.
        let believed = latestAcceptedTime.map { min(date, $0 + Self.longestAdvance) } ?? date
        if let now = Epoch(containing: believed)?.period { copy.forgetPast(before: now) }
        // A restored copy shows only new generations. Roots that were never used are of no use to a thief.
        let now = Epoch(containing: believed)?.period ?? .last
        copy.audiences = audiences.map { audience in
            var kept = audience
            kept.tree = Audience(id: audience.id, generation: audience.generation, from: now, using: &generator).tree
            return kept
        }
        copy.answeredMessages = []
        copy.vouches = []
        copy.restored = nil
        copy.formerCounterKey = nil
        copy.messageStore = nil
        return copy
    }

    /// Marks these contents as a copy of the vault's save `generation`, as of `time` in Unix seconds.
    mutating func noteCopy(of generation: UInt64, from time: UInt64?) {
        // Adopting a restored vault again before it has begun its generations keeps its date.
        if restored == nil { restoredFrom = time }
        restored = RestoredCopy(generation: generation, latestAcceptedTime: latestAcceptedTime)
        for index in contacts.indices { contacts[index].needsReview = true }
    }
}

/// The stored form of a backup (`Specs/backup.md`): the header of a vault under another magic, and sealed contents.
public struct BackupFile: Sendable {
    /// The maximum length of a backup, in bytes: 64 MiB, and room for what it has beside the contents of a vault.
    public static let maximumByteCount = Int(VaultFile.maximumByteCount) + 2 * Backup.profileLimit

    private let header: VaultHeader
    private let sealed: [UInt8]
    private let path: String

    /// The kind of key that opens the backup.
    public var method: VaultKey.Method { header.method }
    /// The cost of Argon2id; nil unless a passphrase opens the backup.
    public var cost: PassphraseCost? { header.cost }

    /// Parses the header of a backup, which needs no key.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - path: its path, for errors.
    /// - Throws: `notABackup`, `truncated`, `newerVersion`, `damaged`, `parametersOutOfRange` or `tooLarge`.
    public init(parsing bytes: [UInt8], path: String) throws(VaultError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw VaultError(.tooLarge(bytes: UInt64(bytes.count), limit: UInt64(Self.maximumByteCount)), path)
        }
        header = try VaultError.about(path) { () throws(VaultError.Fault) in
            let header = try VaultHeader(parsing: bytes.span, as: .backup)
            let expected = VaultHeader.byteCount + Int(header.contentsByteCount) + AuthenticatedCipher.tagByteCount
            guard bytes.count >= expected else { throw .truncated(bytes: bytes.count, expected: expected) }
            guard bytes.count == expected else { throw .damaged(.contents) }
            return header
        }
        sealed = Array(bytes.dropFirst(VaultHeader.byteCount))
        self.path = path
    }

    /// Opens the backup.
    ///
    /// - Throws: `otherKeyNeeded`, `notEnoughMemory`, `wrongKey`, `damaged` or `malformedContents`.
    public func open(with key: borrowing VaultKey) throws(VaultError) -> Backup {
        try VaultError.about(path) { () throws(VaultError.Fault) in
            guard header.method == key.method else { throw .otherKeyNeeded(header.method) }
            let wrappingKey = try key.wrappingKey(salt: header.salt, cost: header.cost)
            let dataKey = try header.unwrap(under: wrappingKey, sealed: sealed.span)
            let plaintext = try header.plaintext(of: sealed.span, with: dataKey)
            return try VaultHeader.parsing { () throws(VaultContentsError) in
                try plaintext.withBytes { bytes throws(VaultContentsError) in
                    try Self.backup(parsing: bytes, of: header)
                }
            }
        }
    }

    /// Parses the sealed part of a backup with this header.
    ///
    /// - Throws: `VaultContentsError` with the offset of the first invalid field.
    static func backup(
        parsing bytes: Span<UInt8>, of header: VaultHeader
    ) throws(VaultContentsError) -> Backup {
        var cursor = ContentsCursor()
        let date: UInt64 = try cursor.number(of: bytes)
        var profile: [UInt8]?
        if try cursor.presence(of: bytes) {
            let count = try cursor.number(0...UInt32(Backup.profileLimit), of: bytes)
            var file: [UInt8] = []
            file.append(bytes.extracting(try cursor.take(Int(count), of: bytes)))
            profile = file
        }
        let rest = try cursor.take(bytes.count - cursor.offset, of: bytes)
        let contents = try VaultContents(parsing: bytes.extracting(rest))
        guard contents.rootSeed != nil else { throw cursor.fault(.tag, back: rest.count) }
        return Backup(
            contents: contents, date: date, clock: header.clock, generation: header.generation, profile: profile)
    }
}

extension Backup {
    /// Seals the backup under its own data key.
    ///
    /// - Parameters:
    ///   - key: the key that will open it.
    ///   - cost: the cost of Argon2id for a passphrase; not used for other keys.
    ///   - path: the path of the file to be written, for errors.
    /// - Returns: the bytes of the file.
    /// - Throws: `contentsOutOfBounds` or `notEnoughMemory`.
    public func sealed(
        with key: borrowing VaultKey, cost: PassphraseCost = .moderate, path: String
    ) throws(VaultError) -> [UInt8] {
        try VaultError.about(path) { () throws(VaultError.Fault) in try sealed(with: key, cost: cost) }
    }

    private func sealed(with key: borrowing VaultKey, cost: PassphraseCost) throws(VaultError.Fault) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        var header = VaultHeader(
            .backup, method: key.method, clock: clock, cost: key.method == .passphrase ? cost : nil,
            salt: Octets16(high: random.next(), low: random.next()))
        header.generation = generation
        let dataKey = SecretBytes(count: keyByteCount, from: &random)
        try header.wrap(dataKey, under: key, from: &random)

        var plaintext = SecretWriter()
        plaintext.append(u64: date)
        plaintext.append(u8: profile == nil ? 0 : 1)
        if let profile {
            plaintext.append(u32: UInt32(clamping: profile.count))
            plaintext.append(profile.span)
        }
        do throws(VaultContents.Bound) {
            try contents.write(to: &plaintext)
            guard plaintext.count <= BackupFile.maximumByteCount - 2 * VaultHeader.byteCount else { throw .total }
        } catch {
            throw .contentsOutOfBounds(error)
        }
        return try header.seal(plaintext, with: dataKey, from: &random)
    }
}

internal import InklingKeys

/// What a backup holds: the contents of a vault without what a copy must not use, and what belongs to the home.
public struct Backup: Sendable {
    /// The contents, from which a restored vault is made.
    public let contents: VaultContents
    /// When the backup was made, in seconds since 1970-01-01T00:00:00Z by the clock of that machine.
    public let date: UInt64
    /// The clock that the contents belong to.
    public let clock: VaultClock
    /// How often the vault had been saved.
    public let generation: UInt64
    /// The file with the profile of the home; nil for a home without one.
    public let profile: [UInt8]?

    /// The longest profile that a backup holds, in bytes.
    public static let profileLimit = 65_536

    /// Copies a vault for a backup. A node can run in the home meanwhile.
    ///
    /// - Parameters:
    ///   - vault: the vault.
    ///   - key: the key that unlocks it.
    ///   - profile: the file with the profile of the home, if it has one; at most `profileLimit` bytes.
    ///   - date: the time by the clock of the vault, in Unix seconds.
    /// - Throws: `VaultError`; `notPrimary` on a device without the identity, which is linked anew instead of restored.
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

    /// Makes the contents of a restored vault: marked as a copy, and every contact to be reviewed.
    ///
    /// - Parameter vouches: what the operator vouches for on the machine that restores.
    /// - Returns: contents for `VaultFile.create`.
    public func restoredContents(vouches: OperatorVouches) -> VaultContents {
        var restored = contents
        restored.vouches = vouches
        restored.noteCopy(of: generation, from: date)
        return restored
    }
}

extension VaultContents {
    /// How far the clock can be ahead of the latest accepted time before a backup does not believe it: 31 days.
    private static let longestAdvance: UInt64 = 744 * 3600

    /// Returns what a backup holds: no key of a past period, no tree of an own audience that was ever in force, and
    /// nothing that belongs to this machine alone.
    func backedUp(at date: UInt64, using generator: inout some RandomNumberGenerator) -> VaultContents {
        var copy = self
        // A clock that is years ahead must not cost the keys of contacts.
        let believed = latestAcceptedTime.map { min(date, $0 + Self.longestAdvance) } ?? date
        if let now = Epoch(containing: believed)?.period { copy.forgetPast(before: now) }
        // A restored copy shows new generations only. Roots that were never used give a thief of the backup nothing.
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

    /// Notes that these contents are a copy of the vault's save `generation`, as it was at `time` in Unix seconds.
    mutating func noteCopy(of generation: UInt64, from time: UInt64?) {
        // A restored vault that has not begun its generations is adopted again as what it is.
        if restored == nil { restoredFrom = time }
        restored = RestoredCopy(generation: generation, latestAcceptedTime: latestAcceptedTime)
        for index in contacts.indices { contacts[index].needsReview = true }
    }
}

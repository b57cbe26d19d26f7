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

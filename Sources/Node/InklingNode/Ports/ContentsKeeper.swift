public import InklingVault

/// A store for contents that a node needs after a restart. ``VaultKeeper`` and `InklingSimulation` provide one each.
public protocol ContentsKeeper: Sendable {
    /// Saves the contents, and returns once they would survive a crash.
    ///
    /// - Throws: `VaultError`; the contents saved before are then unchanged.
    func save(_ contents: VaultContents) async throws(VaultError)
}

/// A keeper that saves contents in an unlocked vault. It is a separate actor because writing waits for the disk.
public actor VaultKeeper: ContentsKeeper {
    private var vault: Vault

    /// Creates a keeper that owns `vault`. The vault's lock is released with the keeper.
    public init(_ vault: consuming Vault) { self.vault = vault }

    /// The contents passed to the last `save`, or those that the vault was opened with.
    public var contents: VaultContents { vault.contents }

    public func save(_ contents: VaultContents) throws(VaultError) {
        vault.contents = contents
        try vault.save()
    }
}

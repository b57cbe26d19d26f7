/// Keeps what a node must still know after a restart. The vault and `InklingSimulation` each provide one.
public protocol ContentsKeeper: Sendable {
    /// Saves the contents; returns when they would survive a crash.
    ///
    /// - Throws: `VaultError`; the contents kept before are then still there.
    func save(_ contents: VaultContents) async throws(VaultError)
}

/// Keeps contents in an unlocked vault, off the node's own actor because writing waits for the disk.
public actor VaultKeeper: ContentsKeeper {
    private var vault: Vault

    /// Takes the vault over; its lock is released when the keeper goes.
    public init(_ vault: consuming Vault) { self.vault = vault }

    /// What the vault held when it was last saved.
    public var contents: VaultContents { vault.contents }

    public func save(_ contents: VaultContents) throws(VaultError) {
        vault.contents = contents
        try vault.save()
    }
}

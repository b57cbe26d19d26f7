import InklingNode
package import InklingTerminal
package import InklingVault

extension Failure {
    /// Creates the failure that describes an error of the vault. The advice differs when a vault is being created.
    package init(_ error: VaultError, isCreating: Bool = false) {
        let status: Status =
            switch error.fault {
            case .unsafePermissions, .foreignOwner, .noPermission, .wrongKey: .noPermission
            case .alreadyRunning, .diskFull, .readOnly, .system, .notEnoughMemory: .unavailable
            case .foreign, .notABackup, .truncated, .damaged, .malformedContents, .newerVersion, .parametersOutOfRange,
                .tooLarge,
                .contentsOutOfBounds, .restoredOldCopy, .counterMissing, .keyLength(.passphrase, _, _):
                .badData
            case .notPrimary, .missing, .exists, .notAFile, .wrongClock, .otherKeyNeeded, .keyMissing, .keyLength:
                .configuration
            }
        let remedy: Remedy? =
            switch error.fault {
            case .missing where isCreating: "Choose a home that can be created: --home DIR"
            case .missing: .command("Create one with", "init --name NAME")
            case .restoredOldCopy, .counterMissing, .damaged(.counter):
                .command("If you restored a backup on purpose", "recover --restored-copy")
            default: nil
            }
        self.init(status, error.description, remedy: remedy)
    }

    /// Creates the failure that describes an error of the message store.
    package init(_ error: MessageStoreError) {
        if case .file(let fault) = error.fault {
            self.init(VaultError(fault, error.path))
        } else {
            self.init(error.fault == .closed ? .unavailable : .badData, error.description)
        }
    }
}

import InklingNode

extension Failure {
    /// A vault's fault with the exit code that says whose affair it is.
    init(_ error: VaultError) {
        let status: Status =
            switch error.fault {
            case .unsafePermissions, .foreignOwner, .noPermission, .wrongKey: .noPermission
            case .alreadyRunning, .diskFull, .readOnly, .system, .notEnoughMemory: .unavailable
            case .foreign, .truncated, .damaged, .malformedContents, .newerVersion, .parametersOutOfRange, .tooLarge,
                .contentsOutOfBounds, .restoredOldCopy, .counterMissing:
                .badData
            case .missing, .exists, .notAFile, .wrongClock, .otherKeyNeeded, .keyMissing, .keyLength: .configuration
            }
        let remedy: String? =
            switch error.fault {
            case .missing: "Make one with: inkling init --name NAME"
            case .restoredOldCopy, .counterMissing, .damaged(.counter):
                "If you restored a backup on purpose: inkling recover --restored-copy"
            default: nil
            }
        self.init(status, error.description, remedy: remedy)
    }
}

import ArgumentParser
import InklingAccess
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault
import InklingWire

/// `inkling restore`
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Create a node from a backup.",
        discussion: """
            The new node is another device of the same user: contacts recognise it once they have met it. Nothing is \
            granted to a contact until you have reviewed it, because the backup does not contain later removals. The \
            device that made the backup is no longer on your card: do not run it again. Link your other devices again. \
            --passphrase-file, --key-file and --credential open the backup. They also lock the new vault, unless an option \
            gives it a key of its own. The clock must be right: synchronised, or trusted with --trust-clock.

            Examples:
              $ inkling restore ada.backup --home ada2
              $ inkling restore ada.backup --home ada2 --new-key-file ada2.key
            """)

    @Argument(help: "The backup.") var file: String
    @OptionGroup var options: HomeOptions
    @OptionGroup var newKey: NewKeyOptions
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print one JSON object.") var json = false

    func run() async throws {
        try await reporting(home: options.home) {
            let path = try options.path()
            try HomeOptions.requireUnused(path)
            let bytes = try readFile(file, limit: BackupFile.maximumByteCount)
            let sealed = try vaultFailure { () throws(VaultError) in try BackupFile(parsing: bytes, path: file) }
            let key = try options.key(sealed.method, of: "backup")
            let backup = try vaultFailure { () throws(VaultError) in try sealed.open(with: key) }
            try options.createParents(of: path)
            let own = newKey.isGiven ? try newKey.key() : key.duplicate()
            let vouches: OperatorVouches = trustClock || backup.clock.isAccelerated ? .clock : []
            if let profile = backup.profile {
                try options.createParents(of: path + "/")
                try storeProfile(profile, in: path)
            }
            let vault = try vaultFailure(isCreating: true) { () throws(VaultError) in
                try VaultFile(home: path).create(
                    backup.restoredContents(vouches: vouches), key: own, clock: backup.clock)
            }
            let opened = try await OpenedNode(
                home: path, vault: vault, isVisible: false, trustsClock: trustClock, acceptsRestoredCopy: true,
                profile: try homeProfile(in: path))
            do throws(Failure) {
                try await nodeFailure { () async throws(NodeError) in try await opened.node.beginNewGenerations() }
            } catch {
                throw Failure(
                    error.status, "restored into \(path), but it cannot be used yet: \(error.what)",
                    remedy: .command("Finish with", "recover --restored-copy"))
            }
            report(backup, in: path)
        }
    }

    private func report(_ backup: Backup, in path: String) {
        let contacts = backup.contents.contacts.count
        let fact = RestoredFact(
            restored: path, name: backup.contents.displayName, date: timestamp(backup.date), contacts: contacts)
        writeFact(fact, asJSON: json) { fact in
            let review =
                contacts == 0
                ? "" : "Review \(plural(contacts, "contact")); list them with: \(options.hint("contacts list"))\n"
            return "Restored \(printable(fact.name)) into \(fact.restored), as of \(fact.date).\n\(review)"
                + "Contacts must meet this node again. Do not run the device that made the backup any more.\n"
        }
    }
}

/// The node that was restored.
private struct RestoredFact: Encodable {
    let restored: String
    let name: String
    let date: String
    let contacts: Int
}

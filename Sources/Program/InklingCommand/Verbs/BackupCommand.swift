import ArgumentParser
import InklingAccess
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling backup`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a sealed backup of the vault, from which another device can continue.",
        discussion: """
            The file contains the identity, the contacts and the keys that recognise them, but none by which this \
            device was ever recognised. It opens with the vault's key, unless an option gives it a different one. A \
            node may run meanwhile. Whoever has the file and its key can act as you, so keep it where only you can \
            reach it. Messages are not part of it.

            Examples:
              $ inkling backup ada.backup --home ada
              $ inkling backup ada.backup --home ada --new-passphrase
            """)

    @Argument(help: "Create this file.") var file: String
    @OptionGroup var options: HomeOptions
    @OptionGroup var newKey: NewKeyOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        try reporting(home: options.home) {
            let home = try options.path()
            let vault = VaultFile(home: home)
            let header = try vaultFailure { () throws(VaultError) in try vault.header() }
            guard newKey.isGiven || header.method != .systemCredential else {
                throw Failure(
                    .usage,
                    "the vault is locked with a credential of this machine, which cannot open a backup elsewhere",
                    remedy: "Give --new-passphrase, --new-passphrase-file FILE or --new-key-file FILE.")
            }
            // Before asking for a passphrase.
            let output = try NewFile(at: file)
            let profile =
                unsafe access(profilePath(in: home), F_OK) == 0
                ? try readFile(profilePath(in: home), limit: Backup.profileLimit) : nil
            let key = try options.key(for: header)
            let date = SystemClock(header.clock).read().unixSeconds
            let backup = try vaultFailure { () throws(VaultError) in
                try Backup(of: vault, with: key, profile: profile, date: date)
            }
            let own = newKey.isGiven ? try newKey.key() : key.duplicate()
            let method = own.method
            let bytes = try vaultFailure { () throws(VaultError) in try backup.sealed(with: own, path: file) }
            output.write { $0 += bytes }
            try output.finish()
            let fact = BackupFact(
                backup: file, date: timestamp(date), contacts: backup.contents.contacts.count, key: method)
            writeFact(fact, asJSON: json) { fact in
                """
                Wrote \(printable(fact.backup)) with \(plural(fact.contacts, "contact")), as of \(fact.date). Its \
                \(fact.key) opens it.

                """
            }
        }
    }
}

/// The backup that was written.
private struct BackupFact: Encodable {
    let backup: String
    let date: String
    let contacts: Int
    let key: VaultKey.Method
}

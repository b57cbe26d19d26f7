import ArgumentParser
import InklingAccess
import InklingNode
import InklingTerminal
import InklingVault

/// `inkling passphrase`
struct PassphraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passphrase",
        abstract: "Change the passphrase of the vault, or lock it with a key file or a credential instead.",
        discussion: """
            --passphrase-file, --key-file and --credential give the current key; the --new-… options give the new one. \
            Without them, a new passphrase is asked for. Stop the node first. Copies of the home and backups that were \
            made before still open with their old key.

            Examples:
              $ inkling passphrase --home ada
              $ inkling passphrase --home ada --new-key-file ada.key
            """)

    @OptionGroup var options: HomeOptions
    @OptionGroup var newKey: NewKeyOptions
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        try reporting(home: options.home) {
            let home = try options.path()
            let file = VaultFile(home: home)
            let header = try vaultFailure { () throws(VaultError) in try file.header() }
            let key = try options.key(for: header)
            var vault = try vaultFailure { () throws(VaultError) in
                try file.open(with: key, acceleratedClock: header.clock.isAccelerated)
            }
            let next = try newKey.key()
            let method = next.method
            do throws(VaultError) { try vault.changeKey(to: next) } catch { throw Failure(error) }
            writeFact(ChangedKeyFact(home: home, key: method), asJSON: json) { fact in
                """
                The vault in \(fact.home) is locked with a new \(fact.key). Copies and backups that were made before \
                still open with their old key.

                """
            }
        }
    }
}

/// The vault whose key was changed.
private struct ChangedKeyFact: Encodable {
    let home: String
    let key: VaultKey.Method
}

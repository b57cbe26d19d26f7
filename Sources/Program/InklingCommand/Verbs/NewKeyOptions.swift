import ArgumentParser
import InklingAccess
import InklingNode
import InklingTerminal
import InklingVault

/// The options for the key of a new file or vault, if it differs from the key of the present one.
struct NewKeyOptions: ParsableArguments {
    @Flag(name: .customLong("new-passphrase"), help: "Ask for a new passphrase.") var asks = false
    @Option(help: "Take a new passphrase from the first line of a file; - reads the next line of standard input.")
    var newPassphraseFile: String?
    @Option(help: "Use this key file of 32 to 4096 bytes from now on; it is created if it does not exist.")
    var newKeyFile: String?
    @Option(help: "Use the systemd credential of this name from now on.") var newCredential: String?

    func validate() throws {
        let given = [asks, newPassphraseFile != nil, newKeyFile != nil, newCredential != nil]
        guard given.count(where: { $0 }) <= 1 else {
            throw ValidationError(
                "give at most one of --new-passphrase, --new-passphrase-file, --new-key-file and --new-credential")
        }
    }

    /// Whether an option names a key.
    var isGiven: Bool { asks || newPassphraseFile != nil || newKeyFile != nil || newCredential != nil }

    /// Returns the new key; asks for a passphrase, twice, when no option names another.
    ///
    /// - Throws: `Failure` when the key cannot be read or created, or the two passphrases differ.
    func key() throws(Failure) -> VaultKey {
        var options = HomeOptions()
        options.home = nil
        options.passphraseFile = newPassphraseFile
        options.keyFile = newKeyFile
        options.credential = newCredential
        return try options.newKey()
    }
}

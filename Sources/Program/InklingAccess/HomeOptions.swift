package import ArgumentParser
import InklingKeys
import InklingLinux
package import InklingTerminal
package import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The options for a node's home and the key of its vault.
package struct HomeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use this home directory.",
            discussion: "Default: $INKLING_HOME, that of the configuration, or ~/.local/share/inkling."))
    package var home: String?
    @Option(
        help: ArgumentHelp(
            "Read settings from this file (inkling config).",
            discussion: "Default: $INKLING_CONFIG, ~/.config/inkling/inkling.toml, or /etc/inkling/inkling.toml.",
            valueName: "file"))
    package var config: String?
    @Option(help: "Read the passphrase from the first line of a file; - reads standard input.")
    package var passphraseFile: String?
    @Option(help: "Unlock the vault with a key file of 32 to 4096 bytes.") package var keyFile: String?
    @Option(help: "Unlock the vault with the systemd credential of this name. Default: inkling.")
    package var credential: String?

    package init() {}

    /// Returns the home directory, as `path(named:config:)` does.
    ///
    /// - Throws: `Failure` when nothing names one.
    package func path() throws(Failure) -> String { try Self.path(named: home, config: config) }

    /// Returns the settings of the configuration file; none without a file.
    ///
    /// - Throws: `Failure` when the file cannot be read or has mistakes.
    package func configuration() throws(Failure) -> Configuration {
        try ConfigurationFile.find(config)?.configuration ?? Configuration()
    }

    /// Returns the place of the home's control socket. The configuration applies to the home for which it was written,
    /// not to another that an option or the environment names.
    ///
    /// - Throws: `Failure` when nothing names a home, or the configuration cannot be read.
    package func control() throws(Failure) -> ControlPlace {
        let home = try path()
        let configuration = try configuration()
        let isNamed = self.home != nil || VaultKey.environment("INKLING_HOME").map { !$0.isEmpty } ?? false
        guard !isNamed || configuration.text(.home) == home else { return ControlPlace(home: home) }
        return ControlPlace(home: home, configuration)
    }

    /// Returns the value of an option, or else of a setting.
    ///
    /// - Throws: `Failure` when the configuration cannot be read.
    package func given(_ option: String?, or setting: Setting) throws(Failure) -> String? {
        if let option { return option }
        return try configuration().text(setting)
    }

    /// Returns the home directory `home`, or that of the environment or the configuration file, or the default in
    /// `$HOME`.
    ///
    /// - Throws: `Failure` when none of them names one.
    package static func path(named home: String?, config: String? = nil) throws(Failure) -> String {
        if let home { return home }
        if let named = VaultKey.environment("INKLING_HOME"), !named.isEmpty { return named }
        if let named = try ConfigurationFile.find(config)?.configuration.text(.home) { return named }
        guard let user = VaultKey.environment("HOME"), !user.isEmpty else {
            throw Failure(.configuration, "neither --home, $INKLING_HOME nor $HOME is set", remedy: "Give --home DIR.")
        }
        return "\(user)/.local/share/inkling"
    }

    /// Creates the missing directories above the home, accessible to the user only.
    ///
    /// - Throws: `Failure`, which names the directory that cannot be created.
    package func createParents(of home: String) throws(Failure) { try Self.createParents(of: home) }

    /// Creates the missing directories above a home, accessible to the user only.
    ///
    /// - Throws: `Failure`, which names the directory that cannot be created.
    package static func createParents(of home: String) throws(Failure) {
        for (place, character) in zip(home.indices, home) where character == "/" && place != home.startIndex {
            let folder = String(home[..<place])
            // The umask may leave fewer permissions than requested.
            if unsafe mkdir(folder, 0o700) == 0, unsafe fchmodat(AT_FDCWD, folder, 0o700, AT_SYMLINK_NOFOLLOW) == 0 {
                continue
            }
            let code = errno
            // A read-only file system reports EROFS even for a directory that exists.
            if unsafe code == EEXIST || access(folder, F_OK) == 0 { continue }
            throw Failure(
                [EACCES, EPERM, EROFS].contains(code) ? .noPermission : .configuration,
                "cannot create the directory \(folder): \(systemMessage(code))",
                remedy: "Choose another home with --home DIR.")
        }
    }

    /// Checks that a new vault can be created in a home, before a passphrase is asked for or a key file is created.
    ///
    /// - Throws: `Failure` when it has a vault or a profile.
    package static func requireUnused(_ home: String) throws(Failure) {
        guard unsafe access("\(home)/vault", F_OK) != 0 else {
            throw Failure(
                .configuration, "\(home)/vault: the vault exists already",
                remedy: "Choose another home with --home DIR, or move this one away.")
        }
        guard unsafe access(profilePath(in: home), F_OK) != 0 else {
            throw Failure(
                .configuration, "\(profilePath(in: home)) exists already",
                remedy: "Choose another home with --home DIR, or delete the file.")
        }
    }

    /// Returns the key for an existing vault; asks for a passphrase when no option gives one.
    ///
    /// - Throws: `Failure` when the key is missing or cannot be read.
    package func key(for header: VaultHeader) throws(Failure) -> VaultKey { try key(header.method) }

    /// Returns the key of an existing vault or backup that has this kind of key.
    ///
    /// - Throws: `Failure` when the key is missing or cannot be read.
    package func key(_ method: VaultKey.Method, of what: String = "vault") throws(Failure) -> VaultKey {
        // From here on secrets are in memory.
        ProcessHardening.apply()
        switch method {
        case .passphrase:
            let file = try given(passphraseFile, or: .passphraseFile)
            return try passphraseKey(file, prompts: ["Passphrase: "])
        case .keyFile:
            guard let keyFile = try given(keyFile, or: .keyFile) else {
                throw Failure(.configuration, "the \(what) is locked with a key file", remedy: "Give --key-file FILE.")
            }
            return try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: keyFile) }
        case .systemCredential:
            let name = try given(credential, or: .credential) ?? "inkling"
            return try vaultFailure { () throws(VaultError) in
                try VaultKey.systemCredential(named: name)
            }
        }
    }

    /// Returns the key for a new vault; creates the key file if it does not exist.
    ///
    /// - Throws: `Failure` when the key cannot be read or created, or the two passphrases differ.
    package func newKey() throws(Failure) -> VaultKey {
        if let keyFile {
            try createKeyFile(keyFile)
            return try vaultFailure { () throws(VaultError) in try VaultKey.keyFile(at: keyFile) }
        }
        if let credential {
            return try vaultFailure { () throws(VaultError) in try VaultKey.systemCredential(named: credential) }
        }
        return try passphraseKey(passphraseFile, prompts: ["New passphrase: ", "Repeat it: "])
    }

    private func passphraseKey(_ passphraseFile: String?, prompts: [String]) throws(Failure) -> VaultKey {
        let passphrase: SecretBytes
        if let passphraseFile, passphraseFile != "-" {
            return try vaultFailure { () throws(VaultError) in try VaultKey.passphrase(inFile: passphraseFile) }
        } else if passphraseFile != nil {
            passphrase = try readPassphraseFromInput()
        } else {
            passphrase = try askForPassphrase(prompts[0])
            if prompts.count > 1 {
                let again = try askForPassphrase(prompts[1])
                guard passphrase.equals(again) else { throw Failure(.usage, "the two passphrases differ") }
            }
        }
        guard let key = VaultKey(passphrase: passphrase) else {
            throw Failure(.usage, "a passphrase must have 1 to 1024 bytes")
        }
        return key
    }
}

extension HomeOptions? {
    /// Returns a command as the person can type it: with `--home` if it was given.
    package func hint(_ command: String) -> String { inklingCommand(command, home: self?.home) }
}

extension HomeOptions {
    /// Returns a command as the person can type it: with `--home` if it was given.
    package func hint(_ command: String) -> String { inklingCommand(command, home: home) }
}

/// Runs `body` and turns an error of the vault into a failure.
package func vaultFailure<Result: ~Copyable>(
    isCreating: Bool = false, _ body: () throws(VaultError) -> Result
) throws(Failure) -> Result {
    do { return try body() } catch { throw Failure(error, isCreating: isCreating) }
}

import ArgumentParser
import InklingAccess
import InklingEngine
import InklingKeys
import InklingLinux
import InklingNode
import InklingTerminal
import InklingVault

/// `inkling init`
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a node: an identity, this device's keys, and a sealed vault that holds them.",
        discussion: """
            The vault is locked with a passphrase, unless --key-file or --credential names a key. A key file that \
            does not exist is created. A profile is kept with the home and cannot be changed later, because contacts look \
            for each other by its values.

            Examples:
              $ inkling init --name Ada
              $ inkling init --name Ada --home ada --key-file ada.key
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "Show this name to contacts, 1 to 64 bytes.") var name: String
    @Option(
        help: ArgumentHelp(
            "Use the profile of an application in this file (inkling profile).", discussion: "Default: Inkling's own."))
    var profile: String?
    @Option(
        help: ArgumentHelp(
            "Create a vault for a demonstration whose clock runs faster.",
            discussion:
                "RATE@SECONDS: the clock runs at RATE times real time (2 to 3600) and agrees with it at that Unix "
                + "second. Such a vault cannot be used with the real clock.", valueName: "rate@seconds"))
    var demoClock: String?
    @Flag(help: "Trust this machine's clock although it is not synchronised.") var trustClock = false
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        try reporting(home: options.home) {
            guard name.contains(where: { !$0.isWhitespace }) else {
                throw Failure(.usage, "--name must not be empty", remedy: "Give the name that contacts see.")
            }
            // From here on secrets are in memory.
            ProcessHardening.apply()
            let clock = try demoClock.map { text throws(Failure) in try VaultClock(demonstration: text) } ?? .real
            let now = SystemClock(clock).read()
            guard let period = Epoch(containing: now.unixSeconds)?.period else {
                throw Failure(.configuration, "the clock is past August 2089", remedy: "Set the clock.")
            }
            var generator = SystemRandomNumberGenerator()
            var contents: VaultContents
            do throws(CardError) {
                contents = try NodeIdentity.makeContents(name: name, now: period, using: &generator)
            } catch {
                throw Failure(
                    .usage, "invalid name '\(printable(name))': \(error)",
                    remedy: "A name must have 1 to 64 bytes and no control or bidirectional characters.")
            }
            contents.messageStore = .drawn()
            if trustClock || clock.isAccelerated { contents.vouches.insert(.clock) }
            let profile = try profile.map { file throws(Failure) in try readProfile(file) }
            let path = try options.path()
            try HomeOptions.requireUnused(path)
            try options.createParents(of: path)
            let key = try options.newKey()
            // Store the profile first, so that a vault never exists without the requested profile.
            if let profile {
                try options.createParents(of: path + "/")
                try storeProfile(profile, in: path)
            }
            _ = try vaultFailure(isCreating: true) { () throws(VaultError) in
                try VaultFile(home: path).create(contents, key: key, clock: clock)
            }
            report(path, contents)
        }
    }

    private func report(_ path: String, _ contents: VaultContents) {
        writeFact(CreatedFact(home: path, name: contents.displayName), asJSON: json) { fact in
            """
            Created a node for \(printable(fact.name)) in \(fact.home).
            Next: \(options.hint("invite")), and on the other device: inkling accept

            """
        }
    }
}

/// The node that was created.
private struct CreatedFact: Encodable {
    let home: String
    let name: String
}

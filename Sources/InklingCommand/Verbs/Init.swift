import ArgumentParser
import InklingEngine
import InklingJSON
import InklingKeys
import InklingLinux
import InklingNode

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `inkling init`
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a node: an identity, this device's keys, and a sealed vault that holds them.",
        discussion: """
            The vault is locked with a passphrase, unless --key-file or --credential names a key. A key file that \
            does not exist is made.

            Examples:
              $ inkling init --name Ada
              $ inkling init --name Ada --home ada --key-file ada.key
            """)

    @OptionGroup var options: HomeOptions
    @Option(help: "The name that contacts see, at most 64 bytes.") var name: String
    @Option(
        help: ArgumentHelp(
            "Make a vault for a demonstration whose clock runs faster.",
            discussion: "RATE@SECONDS: RATE times real time (2 to 3600), equal to it at that Unix second. "
                + "Such a vault is never accepted with the real clock."))
    var demoClock: String?
    @Flag(help: "Believe this machine's clock although nothing synchronises it.") var trustClock = false
    @Flag(help: "Print one JSON object.") var json = false

    func run() throws {
        try reporting {
            let clock = try demoClock.map { text throws(Failure) in try VaultClock(demonstration: text) } ?? .real
            let now = SystemClock(clock).read()
            guard let period = Epoch(containing: now.unixSeconds)?.period else {
                throw Failure(.configuration, "the clock shows a time after August 2089", remedy: "Set the clock.")
            }
            var generator = SystemRandomNumberGenerator()
            var contents: VaultContents
            do throws(CardError) {
                contents = try NodeIdentity.begin(name: name, now: period, using: &generator)
            } catch {
                throw Failure(
                    .usage, "'\(printable(name))' cannot be a name: \(error.reason)",
                    remedy: "A name has 1 to 64 bytes and no control or bidirectional characters.")
            }
            if trustClock || clock.isAccelerated { contents.vouches.insert(.clock) }
            let path = try options.path()
            // Before anybody is asked for a passphrase, or a key file is made.
            guard unsafe access("\(path)/vault", F_OK) != 0 else {
                throw Failure(
                    .configuration, "\(path)/vault: a vault is here already",
                    remedy: "Choose another home with --home DIR, or move this one away.")
            }
            options.makeParents(of: path)
            let key = try options.newKey()
            _ = try vaultFailure { () throws(VaultError) in
                try VaultFile(home: path).create(contents, key: key, clock: clock)
            }
            report(path, contents)
        }
    }

    private func report(_ path: String, _ contents: VaultContents) {
        let place = options.home.map { " --home \($0)" } ?? ""
        write(["home": .text(path), "name": .text(contents.displayName)], asJSON: json) { _ in
            """
            Made a node for \(contents.displayName) in \(path).
            Next: inkling invite\(place), and on the other device: inkling accept

            """
        }
    }
}

extension VaultClock {
    /// Reads RATE@SECONDS: `RATE` times real time, equal to it at that Unix second.
    ///
    /// - Throws: `Failure` for anything else.
    init(demonstration text: String) throws(Failure) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let rate = UInt32(parts[0]), VaultClock.rates.contains(rate),
            let seconds = UInt64(parts[1]), seconds < 1 << 40
        else {
            throw Failure(
                .usage, "'\(text)' is no demonstration clock",
                remedy: "Write RATE@SECONDS, for example 30@1785600000, with a rate from 2 to 3600.")
        }
        self = .accelerated(rate: rate, anchor: seconds * 1000)
    }
}

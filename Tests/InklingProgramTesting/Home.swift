import InklingAccess
import InklingEngine
package import InklingJSON
import InklingKeys
import InklingLinux
import InklingTesting
package import InklingVault
import Testing

#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// A temporary folder for one test, removed with the value.
package final class Folder {
    package let path: String
    /// The clock of the homes in it.
    package let clock: DemonstrationClock

    package init(clock: DemonstrationClock = DemonstrationClock()) throws {
        self.clock = clock
        // Not below $TMPDIR, whose path might be too long for the socket of a node.
        var template = Array("/tmp/inkling-XXXXXX".utf8CString)
        try unsafe #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { _ = try? Program(["-rf", path], program: "/bin/rm").finish() }

    /// Writes a file and returns its path.
    @discardableResult
    package func write(_ name: String, _ content: some Sequence<UInt8>, mode: mode_t = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try writeFile(file, Array(content))
        unsafe chmod(file, mode)
        return file
    }
}

/// Reads a file.
package func bytesOfFile(_ path: String) throws -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    try #require(file >= 0, "cannot read \(path)")
    defer { close(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        guard count > 0 else { return content }
        content += chunk[..<count]
    }
}

/// Writes a file, or replaces its content.
package func writeFile(_ path: String, _ content: [UInt8]) throws {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(file >= 0, "cannot write \(path)")
    defer { close(file) }
    let count = unsafe content.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    try #require(count == content.count)
}

/// Whether a file or a folder has this path.
package func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// A demonstration clock that shows the same time whenever a test begins, so that nothing depends on the time of day.
///
/// It runs twice as fast as the real one, the slowest that a demonstration clock can be: seven minutes pass before an
/// epoch ends that its test does not expect to end.
package struct DemonstrationClock {
    private static let rate: UInt64 = 2
    /// A minute after the beginning of the second epoch of an hour, in 2036.
    package static let start: UInt64 = 583_333 * 3600 + 960

    private let anchor: UInt64

    /// Creates a clock that shows `start` now, in Unix seconds. It must be in the future.
    package init(start: UInt64 = Self.start) { anchor = Self.rate * currentTime() - start }

    /// The argument of `inkling init --demo-clock`.
    package var option: String { "\(Self.rate)@\(anchor)" }
    package var ofVault: VaultClock { .accelerated(rate: UInt32(Self.rate), anchor: anchor * 1000) }
    /// The time that it shows now, in Unix seconds.
    package var seconds: UInt64 { Self.rate * currentTime() - anchor }
    /// The epoch that it shows now.
    package var epoch: UInt64 { seconds / Epoch.seconds }
}

/// A node's home with a key file.
package struct Home {
    /// The clock that a home belongs to.
    package enum Clock {
        /// The clock of the folder.
        case demonstration
        /// The clock of this machine, which the vault trusts.
        case real
    }

    package let name: String
    package let path: String
    package let keyFile: String
    private let clock: Clock

    /// Creates a home as `inkling init` does, without starting a program. Its vault has these contents, or those of a new node.
    package init(_ name: String, in folder: Folder, clock: Clock = .demonstration, contents: VaultContents? = nil)
        throws
    {
        self.name = name
        self.clock = clock
        path = "\(folder.path)/\(name)"
        keyFile = "\(folder.path)/\(name).key"
        try createKeyFile(keyFile)
        let vaultClock: VaultClock =
            switch clock {
            case .demonstration: folder.clock.ofVault
            case .real: .real
            }
        var made: VaultContents
        if let contents {
            made = contents
        } else {
            let now = try #require(Epoch(containing: SystemClock(vaultClock).read().unixSeconds))
            var generator = SystemRandomNumberGenerator()
            made = try NodeIdentity.makeContents(name: name, now: now.period, using: &generator)
            made.vouches.insert(.clock)
        }
        made.messageStore = .drawn()
        _ = try VaultFile(home: path).create(made, key: try VaultKey.keyFile(at: keyFile), clock: vaultClock)
    }

    /// Creates a home by the program `inkling init`.
    package init(initialising name: String, in folder: Folder, _ options: String..., clock: String? = nil) throws {
        self.name = name
        self.clock = .demonstration
        path = "\(folder.path)/\(name)"
        keyFile = "\(folder.path)/\(name).key"
        let made = try Program.run(
            ["init", "--name", name, "--home", path, "--key-file", keyFile]
                + ["--demo-clock", clock ?? folder.clock.option] + options)
        try #require(made.status == 0, "\(made)")
    }

    package var options: [String] { ["--home", path, "--key-file", keyFile] }
    package var vault: String { "\(path)/vault" }

    /// Returns the arguments for a verb on this home. Only `inkling run` must be told that a clock is a demonstration
    /// clock.
    package func words(_ arguments: [String]) -> [String] {
        arguments + (arguments.first == "run" && clock == .demonstration ? ["--demo-clock"] : []) + options
    }

    /// Runs a verb on this home.
    package func run(_ arguments: String..., input: Program.Input = .nothing) throws -> Program.Outcome {
        try Program.run(words(arguments), input: input)
    }

    /// Runs a verb of `inkling-kit` on this home.
    package func kit(_ arguments: String...) throws -> Program.Outcome { try Kit.run(arguments + options) }

    /// Starts a verb on this home.
    package func start(
        _ arguments: String..., input: Program.Input = .nothing, environment: [String: String] = [:]
    ) throws -> Program {
        try Program(words(arguments), input: input, environment: environment)
    }

    /// Runs a verb with `--json`, requires that it succeeds, and returns its JSON objects.
    package func facts(_ arguments: String...) throws -> [JSONObject] { try facts(arguments) }

    /// Runs a verb with `--json`, requires that it succeeds, and returns its JSON objects.
    package func facts(_ arguments: [String]) throws -> [JSONObject] {
        let outcome = try Program.run(arguments + ["--json"] + options)
        try #require(outcome.status == 0, "\(outcome)")
        return try outcome.facts()
    }

    /// The text of the node's own card.
    package func card() throws -> String {
        try TextForm.encode(.card, try contents().card.span)
    }

    /// Adds the card of another home and returns the sealed grants for it.
    @discardableResult
    package func add(_ other: Home) throws -> [String] {
        try facts("card", "add", try other.card()).compactMap { $0["sealedGrant"]?.text }
    }

    /// The contents of the vault.
    package func contents() throws -> VaultContents {
        try VaultFile(home: path).open(
            with: try VaultKey.keyFile(at: keyFile), acceleratedClock: clock == .demonstration
        ).contents
    }
}

/// Makes two homes contacts by cards and sealed grants.
package func acquaint(_ ada: Home, _ bo: Home) throws {
    let forBo = try ada.add(bo)
    let forAda = try bo.add(ada)
    for grant in forBo { _ = try bo.facts("card", "add", grant) }
    for grant in forAda { _ = try ada.facts("card", "add", grant) }
}

/// Returns once a condition holds that no event announces, such as a state of the kernel or of another process.
package func wait(until isSo: () throws -> Bool) throws {
    while try !isSo() { poll(nil, 0, 20) }
}

/// The time in Unix seconds.
package func currentTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec)
}

import InklingJSON
import InklingKeys
import InklingNode
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A temporary folder for one test, removed with the value.
final class Folder {
    let path: String

    init() throws {
        // Not below $TMPDIR, whose path might be too long for the socket of a node.
        var template = Array("/tmp/inkling-XXXXXX".utf8CString)
        try unsafe #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { _ = try? Program(["-rf", path], program: "/bin/rm").finish() }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ name: String, _ content: some Sequence<UInt8>, mode: mode_t = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try writeFile(file, Array(content))
        unsafe chmod(file, mode)
        return file
    }
}

/// Reads a file.
func bytesOfFile(_ path: String) throws -> [UInt8] {
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
func writeFile(_ path: String, _ content: [UInt8]) throws {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(file >= 0, "cannot write \(path)")
    defer { close(file) }
    let count = unsafe content.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    try #require(count == content.count)
}

/// Whether a file or a folder has this path.
func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// A node's home, created by `inkling init` with a key file and a trusted clock, or a demonstration clock.
struct Home {
    let name: String
    let path: String
    let keyFile: String
    private let clock: String?

    init(_ name: String, in folder: Folder, profile: String? = nil, clock: String? = nil) throws {
        self.name = name
        self.clock = clock
        path = "\(folder.path)/\(name)"
        keyFile = "\(folder.path)/\(name).key"
        let made = try Program.run(
            ["init", "--name", name, "--home", path, "--key-file", keyFile]
                + (clock.map { ["--demo-clock", $0] } ?? ["--trust-clock"]) + (profile.map { ["--profile", $0] } ?? []))
        try #require(made.status == 0, "\(made)")
    }

    var options: [String] { ["--home", path, "--key-file", keyFile] }
    var vault: String { "\(path)/vault" }

    /// Runs a verb on this home.
    func run(_ arguments: String..., input: Program.Input = .nothing) throws -> Program.Outcome {
        try Program.run(arguments + options, input: input)
    }

    /// Starts a verb on this home, 30 seconds or more before an epoch ends: a node is silent then, and takes another port.
    ///
    /// The epochs of a demonstration clock end when its test wants.
    func start(_ arguments: String..., input: Program.Input = .nothing) throws -> Program {
        while clock == nil, currentTime() % 900 > 870 { poll(nil, 0, 100) }
        return try Program(arguments + options, input: input)
    }

    /// Runs a verb with `--json`, requires that it succeeds, and returns its JSON objects.
    func facts(_ arguments: String...) throws -> [JSONObject] { try facts(arguments) }

    /// Runs a verb with `--json`, requires that it succeeds, and returns its JSON objects.
    func facts(_ arguments: [String]) throws -> [JSONObject] {
        let outcome = try Program.run(arguments + ["--json"] + options)
        try #require(outcome.status == 0, "\(outcome)")
        return try outcome.facts()
    }

    /// The text of the node's own card.
    func card() throws -> String {
        let outcome = try run("card", "export")
        try #require(outcome.status == 0, "\(outcome)")
        return try unwrap(outcome.lines.first)
    }

    /// Adds the card of another home and returns the sealed grants for it.
    @discardableResult
    func add(_ other: Home) throws -> [String] {
        try facts("card", "add", try other.card()).compactMap { $0["sealedGrant"]?.text }
    }

    /// The contents of the vault.
    func contents() throws -> VaultContents {
        try VaultFile(home: path).open(with: try VaultKey.keyFile(at: keyFile)).contents
    }
}

/// Creates two homes whose nodes recognise each other by cards and sealed grants, without a first contact.
func acquaintances(in folder: Folder) throws -> (Home, Home) {
    let ada = try Home("Ada", in: folder)
    let bo = try Home("Bo", in: folder)
    try acquaint(ada, bo)
    return (ada, bo)
}

/// Makes two homes contacts by cards and sealed grants.
func acquaint(_ ada: Home, _ bo: Home) throws {
    let forBo = try ada.add(bo)
    let forAda = try bo.add(ada)
    for grant in forBo { _ = try bo.facts("card", "add", grant) }
    for grant in forAda { _ = try ada.facts("card", "add", grant) }
}

/// Asks again until something is so or the time is over, and returns whether it is.
func eventually(within seconds: UInt64, _ isSo: () throws -> Bool) throws -> Bool {
    let end = currentTime() + seconds
    while currentTime() < end {
        if try isSo() { return true }
    }
    return false
}

/// The time in Unix seconds.
func currentTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec)
}

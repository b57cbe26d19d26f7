import InklingTesting
import Testing

@testable import InklingKeys
@testable import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(Glibc)
    private let fileSizeLimit = Int32(RLIMIT_FSIZE.rawValue)
#else
    private let fileSizeLimit = RLIMIT_FSIZE
#endif

/// Moves this process to a mount namespace of its own, so that its mounts end with it.
private func leaveMountNamespace() -> Bool {
    // The C library has `unshare`, but its Swift module does not.
    guard let symbol = unsafe dlsym(nil, "unshare") else { return false }
    let unshare = unsafe unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
    let mounts: Int32 = 0x20000
    guard unshare(mounts) == 0 else { return false }
    return unsafe mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0
}

/// A card that is saved together with a number.
private func card(of number: UInt64) -> [UInt8] { [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 2048) }

@Suite struct `A vault and other processes` {
    /// Covers INK-VLT-021.
    @Test func `a second process is told which process has locked the vault`() async throws {
        let home = try TemporaryHome()
        let holder = try home.vault.createCheaply()
        await #expect(processExitsWith: .success) { [path = home.path as String, number = getpid() as Int32] in
            let found = try VaultFile(home: path).openingFault()
            try #require(found == .alreadyRunning(process: number))
        }
        #expect(holder.header.generation == 1)
    }

    @Test func `releasing the vault lets the next process open it`() throws {
        let home = try TemporaryHome()
        do {
            let vault = try home.vault.createCheaply()
            #expect(try home.vault.openingFault() == .alreadyRunning(process: getpid()))
            #expect(vault.header.generation == 1)
        }
        #expect(try home.vault.openingFault() == nil)
    }

    @Test func `reports no process for a lock file of unexpected length or text`() throws {
        let home = try TemporaryHome()
        let vault = try home.vault.createCheaply()
        for text in ["", "nobody\n", "99999999999\n", String(repeating: "1", count: 100)] {
            let file = unsafe open(home.path("lock"), O_WRONLY | O_TRUNC)
            _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
            close(file)
            #expect(try home.vault.openingFault() == .alreadyRunning(process: nil))
        }
        #expect(vault.header.generation == 1)
    }

    /// Covers INK-VLT-006.
    @Test func `a process killed while saving leaves the last acknowledged save or the next one`() throws {
        let home = try TemporaryHome()
        var vault = try home.vault.createCheaply(try fullContents())
        for number in UInt64(1)...3 {
            let acknowledged = try #require(vault.contents.latestAcceptedTime)
            let next = 1_800_000_000 + number
            let states = try home.states {
                vault.contents.latestAcceptedTime = next
                vault.contents.card = card(of: next)
                try vault.save()
            }
            var found: [UInt64] = []
            for state in states {
                let left = try TemporaryHome(state)
                var opened = try left.vault.open(with: passphrase())
                let time = try #require(opened.contents.latestAcceptedTime)
                found.append(time)
                if time == next { #expect(opened.contents.card == card(of: next)) }
                try opened.save()
            }
            // The file changes at one moment, which is neither the first step nor the last.
            #expect(found.count >= 6 && found.first == acknowledged && found.suffix(2) == [next, next])
            #expect(found == found.sorted() && Set(found) == [acknowledged, next])
        }
    }

    @Test func `a process killed while saving has released the vault`() async throws {
        let home = try TemporaryHome()
        do { _ = try home.vault.createCheaply(try fullContents()) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = home.path as String] in
            var vault = try VaultFile(home: path).open(with: passphrase())
            VaultHome.$beforeStep.withValue({ raise(SIGKILL) }) { try? vault.save() }
        }
        #expect(try home.vault.open(with: passphrase()).contents.latestAcceptedTime == 1_785_600_000)
    }

    /// Covers INK-VLT-008.
    @Test func `a file size limit is reported as a full disk, and saving works again without it`() async throws {
        let home = try TemporaryHome()
        do { _ = try home.vault.createCheaply() }
        await #expect(processExitsWith: .success) { [path = home.path as String] in
            try saveUnderFileSizeLimit(at: path)
        }
        #expect(try home.vault.open(with: passphrase()).contents.card.count == 2048)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting requires root"))
    func `distinguishes a full from a read-only file system, and the vault stays unchanged`() async throws {
        let home = try TemporaryHome()
        await #expect(processExitsWith: .success) { [path = home.path as String] in
            try saveOnFullAndReadOnlyMounts(at: path)
        }
    }

    @Test func `a home without write permission rejects a save and keeps the old vault`() async throws {
        let parent = try TemporaryHome()
        unsafe chmod(parent.path, 0o755)
        unsafe mkdir(parent.path("home"), 0o700)
        if geteuid() == 0 { unsafe chown(parent.path("home"), 65_534, 65_534) }
        await #expect(processExitsWith: .success) { [path = parent.path("home") as String] in
            try saveWithoutPermission(at: path)
        }
    }
}

// The bodies of the child processes.

/// Saves with a file size limit that is too low, and again without it.
private func saveUnderFileSizeLimit(at path: String) throws {
    signal(SIGXFSZ, SIG_IGN)
    var vault = try VaultFile(home: path).open(with: passphrase())
    let before = contents(of: "\(path)/vault")
    vault.contents.card = [UInt8](repeating: 1, count: 2048)
    var limit = rlimit(rlim_cur: 1024, rlim_max: rlim_t(1) << 40)
    unsafe try #require(setrlimit(fileSizeLimit, &limit) == 0)
    try #require(fault { () throws(VaultError) in try vault.save() } == .diskFull)
    try #require(contents(of: "\(path)/vault") == before)
    try #require(contents(of: "\(path)/vault.new") == nil)
    limit.rlim_cur = limit.rlim_max
    unsafe try #require(setrlimit(fileSizeLimit, &limit) == 0)
    try vault.save()
}

/// Saves on a small file system that is filled, emptied and then made read-only.
private func saveOnFullAndReadOnlyMounts(at path: String) throws {
    try #require(leaveMountNamespace())
    try #require(unsafe mount("tmpfs", path, "tmpfs", 0, "size=64k,mode=700") == 0)
    let file = VaultFile(home: path)
    var vault = try file.createCheaply()
    let before = contents(of: "\(path)/vault")

    let filler = unsafe open("\(path)/filler", O_WRONLY | O_CREAT, 0o600)
    let block = [UInt8](repeating: 0, count: 4096)
    while unsafe block.withUnsafeBytes({ unsafe write(filler, $0.baseAddress, $0.count) }) > 0 {}
    try #require(fault { () throws(VaultError) in try vault.save() } == .diskFull)
    try #require(contents(of: "\(path)/vault") == before)
    unsafe unlink("\(path)/filler")
    close(filler)
    try vault.save()

    _ = consume vault
    try #require(unsafe mount("none", path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
    try #require(try file.openingFault() == .readOnly)
    try #require(try file.header().generation == 3)
}

/// Saves in a home without write permission.
private func saveWithoutPermission(at path: String) throws {
    // Root can write everywhere, so change to another user.
    if geteuid() == 0 { try #require(setgid(65_534) == 0 && setuid(65_534) == 0) }
    var vault = try VaultFile(home: path).createCheaply()
    let before = contents(of: "\(path)/vault")
    unsafe chmod(path, 0o500)
    try #require(fault { () throws(VaultError) in try vault.save() } == .noPermission)
    try #require(contents(of: "\(path)/vault") == before)
    unsafe chmod(path, 0o700)
    try vault.save()
}

internal import InklingKeys

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Who is responsible for the owner and the mode of a file.
enum FileOwnership {
    /// This program: the file must belong to this user, and others must not be able to read or write it.
    case privateFile
    /// The system is.
    case systemOwnedFile
}

/// A regular file that was checked before its first byte is used, and is closed when its owner lets go.
struct OpenFile: ~Copyable {
    let path: String
    let byteCount: UInt64
    private let descriptor: Int32
    private var isLocked = false

    /// Opens `name` for reading, below the directory with this descriptor or from the working directory; errors call
    /// it `path`.
    init(
        reading name: String, in directory: Int32?, path: String, _ ownership: FileOwnership
    ) throws(VaultError) {
        // Non-blocking, because opening a FIFO would otherwise wait for its writer.
        try self.init(name, in: directory, path: path, flags: O_RDONLY | O_NONBLOCK, ownership)
    }

    /// Opens `name` below a directory for reading and writing, and makes it, empty and private, when it is missing.
    init(updating name: String, in directory: Int32, path: String) throws(VaultError) {
        try self.init(name, in: directory, path: path, flags: O_RDWR | O_CREAT | O_NONBLOCK, .privateFile)
    }

    private init(
        _ name: String, in directory: Int32?, path: String, flags: Int32, _ ownership: FileOwnership
    ) throws(VaultError) {
        // A link from our own home to elsewhere is not ours; a link in the path of a key file is the user's choice.
        let links = directory == nil ? 0 : O_NOFOLLOW
        let directory = directory ?? AT_FDCWD
        let opened = unsafe openat(directory, name, flags | links | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            let code = errno
            if let kind = fileKind(name, in: directory), kind != .file { throw VaultError(.notAFile(kind), path) }
            throw VaultError(.init(systemError: code), path)
        }
        do throws(VaultError.Fault) {
            let status = try Status(of: opened)
            guard status.kind == .file else { throw .notAFile(status.kind) }
            if ownership == .privateFile { try status.requirePrivate() }
            byteCount = status.byteCount
        } catch {
            close(opened)
            throw VaultError(error, path)
        }
        descriptor = opened
        self.path = path
    }

    deinit {
        // A child process that was just forked, and has not yet become another program, shares the descriptor: closing
        // ours would not end the lock.
        if isLocked { flock(descriptor, LOCK_UN) }
        close(descriptor)
    }

    /// The whole file, which must still have the length it was opened with.
    borrowing func readBytes() throws(VaultError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(clamping: byteCount))
        var view = bytes.mutableSpan
        try fill(&view)
        return bytes
    }

    /// The whole file as a secret.
    borrowing func readSecret() throws(VaultError) -> SecretBytes {
        try SecretBytes(count: Int(clamping: byteCount)) { view throws(VaultError) in try fill(&view) }
    }

    /// Whether this process now holds the lock of the file; it keeps it until the file is closed.
    mutating func tryLock() throws(VaultError) -> Bool {
        isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard isLocked || errno == EWOULDBLOCK else { throw VaultError(.init(systemError: errno), path) }
        return isLocked
    }

    /// Replaces the few bytes of a file whose loss does no harm; a failure leaves it empty or cut.
    borrowing func overwrite(_ bytes: [UInt8]) {
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private borrowing func fill(_ view: inout MutableSpan<UInt8>) throws(VaultError) {
        let wanted = view.count
        var filled = 0
        while filled < wanted {
            let count = unsafe view.withUnsafeMutableBytes { buffer in
                unsafe read(descriptor, buffer.baseAddress?.advanced(by: filled), wanted - filled)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw VaultError(.init(systemError: errno), path) }
            guard count > 0 else { throw VaultError(.truncated(bytes: filled, expected: wanted), path) }
            filled += count
        }
    }
}

/// What the system says about an open file.
struct Status {
    let kind: VaultError.FileKind
    let mode: UInt32
    let owner: UInt32
    let byteCount: UInt64

    init(of descriptor: Int32) throws(VaultError.Fault) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .init(systemError: errno) }
        self.init(status)
    }

    init(_ status: stat) {
        kind = VaultError.FileKind(mode: status.st_mode)
        mode = status.st_mode & 0o7777
        owner = status.st_uid
        byteCount = UInt64(clamping: status.st_size)
    }

    /// Ours, and closed to everybody else.
    func requirePrivate() throws(VaultError.Fault) {
        guard owner == geteuid() else { throw .foreignOwner(user: owner) }
        guard mode & 0o077 == 0 else { throw .unsafePermissions(mode: mode) }
    }
}

/// What `name` below a directory is, without following a link; nil when nothing is there.
func fileKind(_ name: String, in directory: Int32) -> VaultError.FileKind? {
    var status = stat()
    guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return Status(status).kind
}

extension VaultError.FileKind {
    fileprivate init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .symbolicLink
        case S_IFIFO: self = .fifo
        case S_IFSOCK: self = .socket
        default: self = .device
        }
    }
}

extension VaultError.Fault {
    /// The fault behind one of the system's error numbers.
    init(systemError code: Int32) {
        self =
            switch code {
            case ENOENT: .missing
            case EROFS: .readOnly
            case EACCES, EPERM: .noPermission
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            default: .system(code: code)
            }
    }
}

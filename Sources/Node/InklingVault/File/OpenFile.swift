internal import InklingKeys

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The required owner and mode of a file.
enum FileOwnership {
    /// The file must belong to this user, and other users must not be able to read or write it.
    case privateFile
    /// The system sets owner and mode; they are not checked.
    case systemOwnedFile
}

/// An open regular file whose kind, owner and mode have been checked. It is closed when the value is destroyed.
package struct OpenFile: ~Copyable {
    package let path: String
    package let byteCount: UInt64
    private let descriptor: Int32
    private var isLocked = false

    /// Opens `name` for reading, relative to a directory, or to the working directory if `directory` is nil. `path` is
    /// used in errors.
    init(
        reading name: String, in directory: Int32?, path: String, _ ownership: FileOwnership
    ) throws(VaultError) {
        // Non-blocking: opening a FIFO would otherwise wait for its writer.
        try self.init(name, in: directory, path: path, flags: O_RDONLY | O_NONBLOCK, ownership)
    }

    /// Opens `name` in a directory for reading and writing, creating an empty file with mode 0600 if it is missing.
    package init(updating name: String, in directory: Int32, path: String) throws(VaultError) {
        let flags = O_RDWR | O_NONBLOCK
        // Exclusive, so that only a new file gets its mode here: the umask may have left less.
        let made = unsafe openat(directory, name, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if made >= 0 {
            let isPrivate = fchmod(made, 0o600) == 0
            let code = errno
            close(made)
            guard isPrivate else { throw VaultError(.init(systemError: code), path) }
        }
        try self.init(name, in: directory, path: path, flags: flags | O_CREAT, .privateFile)
    }

    private init(
        _ name: String, in directory: Int32?, path: String, flags: Int32, _ ownership: FileOwnership
    ) throws(VaultError) {
        // The vault creates no symbolic links in its home, so refuse them there. A key file's path may contain them.
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
        // A child process between fork and exec shares the descriptor, so closing ours would not release the lock.
        if isLocked { flock(descriptor, LOCK_UN) }
        close(descriptor)
    }

    /// Reads the whole file; throws if it has become shorter since it was opened.
    package borrowing func readBytes() throws(VaultError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(clamping: byteCount))
        var view = bytes.mutableSpan
        try fill(&view)
        return bytes
    }

    /// Reads the first bytes of the file, or all if it has fewer.
    package borrowing func readBytes(first limit: Int) throws(VaultError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(Int(clamping: byteCount), limit))
        var view = bytes.mutableSpan
        try fill(&view)
        return bytes
    }

    /// Reads the whole file into a secret.
    borrowing func readSecret() throws(VaultError) -> SecretBytes {
        try SecretBytes(count: Int(clamping: byteCount)) { view throws(VaultError) in try fill(&view) }
    }

    /// Reads the first line into a secret, without its line feed; of a longer line, `limit` + 1 bytes.
    borrowing func readLine(limit: Int) throws(VaultError) -> SecretBytes {
        let start = try SecretBytes(count: min(Int(clamping: byteCount), limit + 1)) { view throws(VaultError) in
            try fill(&view)
        }
        return start.withBytes { bytes in
            SecretBytes(copying: bytes.extracting(first: bytes.indices.first { bytes[$0] == 0x0a } ?? bytes.count))
        }
    }

    /// Tries to lock the file without waiting, and returns whether it succeeded. The lock lasts until the file is
    /// closed.
    mutating func tryLock() throws(VaultError) -> Bool {
        isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard isLocked || errno == EWOULDBLOCK else { throw VaultError(.init(systemError: errno), path) }
        return isLocked
    }

    /// Overwrites a short file whose loss is harmless. A failure is ignored and may leave it empty or truncated.
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

/// Kind, mode, owner and length of a file.
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

    /// Throws unless the file belongs to this user and other users have no access.
    func requirePrivate() throws(VaultError.Fault) {
        guard owner == geteuid() else { throw .foreignOwner(user: owner) }
        guard mode & 0o077 == 0 else { throw .unsafePermissions(mode: mode) }
    }
}

/// Returns the kind of the file `name` in a directory, without following a symbolic link; nil if it does not exist.
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
    /// Creates the fault for an `errno` value.
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

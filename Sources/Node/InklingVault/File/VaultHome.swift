internal import InklingKeys

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The directory that holds a vault. Its files are opened relative to one descriptor, so moving it is harmless.
package struct VaultHome: ~Copyable {
    /// A hook called before each step that changes the disk, where a crash may occur. Only tests set it.
    @TaskLocal package static var beforeStep: (@Sendable () -> Void)?

    package let path: String
    private let descriptor: Int32

    /// Opens a home, which must belong to this user and be inaccessible to other users. With `creating`, the last
    /// directory of the path is created if it is missing.
    package init(_ path: String, creating: Bool) throws(VaultError) {
        if creating {
            if unsafe mkdir(path, 0o700) == 0 {
                // The umask may clear the owner's bits of a new directory, which could then not be entered.
                guard unsafe fchmodat(AT_FDCWD, path, 0o700, AT_SYMLINK_NOFOLLOW) == 0 else {
                    throw VaultError(.init(systemError: errno), path)
                }
            } else if errno != EEXIST {
                throw VaultError(.init(systemError: errno), path)
            }
        }
        let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else {
            let code = errno
            if code == ENOTDIR, let kind = fileKind(path, in: AT_FDCWD) { throw VaultError(.notAFile(kind), path) }
            throw VaultError(.init(systemError: code), path)
        }
        do throws(VaultError.Fault) {
            try Status(of: opened).requirePrivate()
        } catch {
            close(opened)
            throw VaultError(error, path)
        }
        descriptor = opened
        self.path = path
    }

    deinit { close(descriptor) }

    /// Returns the path of `name`, for messages.
    package borrowing func path(of name: String) -> String { "\(path)/\(name)" }

    /// Returns whether a file of any kind has this name.
    package borrowing func contains(_ name: String) -> Bool { fileKind(name, in: descriptor) != nil }

    /// Reads a private file of at most `limit` bytes.
    package borrowing func read(_ name: String, limit: UInt64) throws(VaultError) -> [UInt8] {
        let file = try OpenFile(reading: name, in: descriptor, path: path(of: name), .privateFile)
        guard file.byteCount <= limit else {
            throw VaultError(.tooLarge(bytes: file.byteCount, limit: limit), file.path)
        }
        return try file.readBytes()
    }

    /// Locks the home against other processes until the file is closed, and writes our process number into the file.
    package borrowing func lock(_ name: String) throws(VaultError) -> OpenFile {
        var file = try OpenFile(updating: name, in: descriptor, path: path(of: name))
        guard try file.tryLock() else {
            // A process number has at most ten digits. A longer file was not written by us and is not shown.
            let holder = file.byteCount <= 16 ? String(validating: try file.readBytes(), as: UTF8.self) : nil
            let number = holder.flatMap { Int32($0.prefix { $0 != "\n" }) }
            throw VaultError(.alreadyRunning(process: number), path)
        }
        file.overwrite(Array("\(getpid())\n".utf8))
        return file
    }

    /// Replaces a file atomically: a reader sees the old bytes or the new ones, even after a crash at any time.
    ///
    /// The bytes are synced to disk before the file is renamed. With `lasting`, the rename is synced too.
    package borrowing func replace(_ name: String, with parts: [[UInt8]], lasting: Bool) throws(VaultError) {
        let fresh = Self.temporaryName(name)
        do throws(VaultError.Fault) {
            try writeFile(fresh, parts)
            Self.beforeStep?()
            guard unsafe renameat(descriptor, fresh, descriptor, name) == 0 else { throw .init(systemError: errno) }
        } catch {
            _ = unsafe unlinkat(descriptor, fresh, 0)
            throw VaultError(error, path(of: name))
        }
        guard !lasting || fsync(descriptor) == 0 else { throw VaultError(.init(systemError: errno), path) }
    }

    /// Overwrites a small file in place, without waiting for the disk. A file that is missing or has another length is
    /// replaced instead.
    ///
    /// `bytes` must fit in one sector of 512 bytes, which disks write atomically, so that a power cut leaves the old
    /// bytes or the new ones.
    package borrowing func overwrite(_ name: String, with bytes: [UInt8]) throws(VaultError) {
        let file = unsafe openat(descriptor, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if file >= 0 {
            defer { close(file) }
            if let status = try? Status(of: file), status.kind == .file, status.byteCount == bytes.count {
                Self.beforeStep?()
                let count = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
                guard count != bytes.count else { return }
                throw VaultError(.init(systemError: count < 0 ? errno : EIO), path(of: name))
            }
        }
        try replace(name, with: [bytes], lasting: false)
    }

    /// Removes the temporary file of a replacement that a crash interrupted.
    package borrowing func removeLeftover(of name: String) {
        _ = unsafe unlinkat(descriptor, Self.temporaryName(name), 0)
    }

    /// Opens a file, creating it if it is missing, and checks that it is regular and private.
    package borrowing func openChecked(_ name: String) throws(VaultError) -> OpenFile {
        try OpenFile(updating: name, in: descriptor, path: path(of: name))
    }

    /// Renames a file, and syncs the rename to disk.
    package borrowing func move(_ name: String, to other: String) throws(VaultError) {
        guard unsafe renameat(descriptor, name, descriptor, other) == 0, fsync(descriptor) == 0 else {
            throw VaultError(.init(systemError: errno), path(of: name))
        }
    }

    /// Removes a file, if it exists.
    package borrowing func remove(_ name: String) { _ = unsafe unlinkat(descriptor, name, 0) }

    private static func temporaryName(_ name: String) -> String { name + ".new" }

    private borrowing func writeFile(_ name: String, _ parts: [[UInt8]]) throws(VaultError.Fault) {
        // Exclusive, so that nothing is written to a file, or through a symbolic link, that another user has prepared.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        Self.beforeStep?()
        var file = unsafe openat(descriptor, name, flags, 0o600)
        if file < 0, errno == EEXIST, unsafe unlinkat(descriptor, name, 0) == 0 {
            file = unsafe openat(descriptor, name, flags, 0o600)
        }
        guard file >= 0 else { throw .init(systemError: errno) }
        defer { close(file) }
        // The owner must be able to read and replace the file later, whatever the umask.
        guard fchmod(file, 0o600) == 0 else { throw .init(systemError: errno) }
        for part in parts {
            var rest = part[...]
            while !rest.isEmpty {
                Self.beforeStep?()
                let count = unsafe rest.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw .init(systemError: count < 0 ? errno : ENOSPC) }
                rest = rest.dropFirst(count)
            }
        }
        guard fsync(file) == 0 else { throw .init(systemError: errno) }
    }
}

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

internal import CLinux
internal import InklingNode

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An open file or folder, closed with its last reference.
final class Descriptor: Sendable {
    let number: Int32

    /// Opens a path, relative to a folder if one is given. A new file has at most mode 0600.
    init(opening path: String, _ flags: Int32, in folder: Int32 = AT_FDCWD) throws(FileFault) {
        number = unsafe openat(folder, path, flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw FileFault(systemError: errno) }
    }

    deinit { close(number) }

    struct Status {
        let size: UInt64
        let links: UInt64
        let isRegularFile: Bool
        /// Whether it belongs to this user and no one else has access.
        let isPrivate: Bool
        /// A number that changes with the file and its content.
        let version: UInt64
    }

    func status() throws(FileFault) -> Status {
        var facts = stat()
        guard unsafe fstat(number, &facts) == 0 else { throw FileFault(systemError: errno) }
        let seconds = UInt64(truncatingIfNeeded: facts.st_mtim.tv_sec)
        let nanoseconds = UInt64(truncatingIfNeeded: facts.st_mtim.tv_nsec)
        return Status(
            size: UInt64(clamping: facts.st_size), links: UInt64(clamping: facts.st_nlink),
            isRegularFile: facts.st_mode & S_IFMT == S_IFREG,
            isPrivate: facts.st_uid == geteuid() && facts.st_mode & 0o077 == 0,
            version: (seconds &* 1_000_000_000 &+ nanoseconds) ^ UInt64(truncatingIfNeeded: facts.st_ino) << 40)
    }

    /// Reads at most `count` bytes; fewer only at the end.
    func read(at offset: UInt64, count: Int) throws(FileFault) -> [UInt8] {
        var failure: Int32?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let start = buffer.baseAddress {
                let got = unsafe pread(
                    number, start.advanced(by: filled), count - filled, off_t(clamping: offset) + off_t(filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { return }
                filled += got
            }
        }
        if let failure { throw FileFault(systemError: failure) }
        return bytes
    }

    func append(_ bytes: [UInt8]) throws(FileFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileFault(systemError: count < 0 ? errno : ENOSPC) }
            rest = rest.dropFirst(count)
        }
    }

    func empty() throws(FileFault) {
        guard ftruncate(number, 0) == 0 else { throw FileFault(systemError: errno) }
    }

    func sync() throws(FileFault) {
        guard fsync(number) == 0 else { throw FileFault(systemError: errno) }
    }

    /// Syncs the bytes and the length but not the times, which is less work for the disk.
    func syncBytes() throws(FileFault) {
        guard fdatasync(number) == 0 else { throw FileFault(systemError: errno) }
    }
}

extension FileFault {
    /// Creates the fault for an `errno` value.
    init(systemError code: Int32) {
        self =
            switch code {
            case ENOENT, ENOTDIR: .missing
            case EACCES, EPERM, EROFS: .noPermission
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            case EISDIR, ELOOP, ENXIO: .notAFile
            default: .system(code: code)
            }
    }
}

internal import CLinux
internal import InklingNode
internal import InklingWire

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The folder for received files, with a subfolder for those that are not checked yet.
///
/// `NAME.part` is a partial file. `NAME.done` records that the file has arrived, so that a sender that missed the
/// confirmation is told and does not send it again.
final class PartialFolder: Sendable {
    private static let attempts = 100
    /// The largest number of partial files.
    static let partialLimit = 64

    private let path: String
    private let target: Descriptor
    private let partials: Descriptor

    /// Opens both folders, and creates the one for partial files with mode 0700.
    ///
    /// - Throws: `FileFault.noFolder` if the folder is missing or not a folder; `.noPermission` if the one for partial
    ///   files has another owner or others may enter it.
    init(in path: String) throws(FileFault) {
        self.path = path
        do throws(FileFault) { target = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY) } catch {
            throw .noFolder
        }
        if unsafe mkdirat(target.number, DiskStorage.partialFolder, 0o700) == 0 {
            // `mkdirat` applies the umask.
            _ = unsafe fchmodat(target.number, DiskStorage.partialFolder, 0o700, 0)
        }
        partials = try Descriptor(
            opening: DiskStorage.partialFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, in: target.number)
        guard try partials.status().isPrivate else { throw .noPermission }
    }

    /// Returns the number of bytes this user can still write.
    func freeBytes() throws(FileFault) -> UInt64 {
        var facts = statvfs()
        guard unsafe fstatvfs(partials.number, &facts) == 0 else { throw FileFault(systemError: errno) }
        return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
    }

    func find(_ name: PartialName) throws(FileFault) -> FoundFile {
        if exists("\(name).done") { return .whole }
        guard
            let part = try? Descriptor(opening: "\(name).part", O_RDONLY | O_NOFOLLOW | O_NONBLOCK, in: partials.number)
        else { return .nothing }
        let status = try part.status()
        guard status.isRegularFile, status.isPrivate else { throw .noPermission }
        // A second link means that the file was kept but the node ended before marking it.
        guard status.links > 1 else { return .part }
        try markDone(name)
        return .whole
    }

    /// Opens the partial file, or creates it with mode 0600.
    ///
    /// - Throws: `FileFault.diskFull` at `partialLimit`, so that contacts cannot fill the disk with beginnings.
    func open(_ name: PartialName) throws(FileFault) -> Descriptor {
        if !exists("\(name).part") {
            let others = try names().count { $0.hasSuffix(".part") }
            guard others < Self.partialLimit else { throw .diskFull }
        }
        let file = try Descriptor(
            opening: "\(name).part", O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, in: partials.number)
        let status = try file.status()
        guard status.isRegularFile, status.links == 1 else { throw .notAFile }
        guard status.isPrivate else { throw .noPermission }
        return file
    }

    func discard(_ name: PartialName) { _ = unsafe unlinkat(partials.number, "\(name).part", 0) }

    /// Gives a partial file a generated name in the folder, replacing nothing, and returns its path.
    func keep(_ name: PartialName) throws(FileFault) -> String {
        let moment = Self.moment()
        for _ in 0..<Self.attempts {
            var random = SystemRandomNumberGenerator()
            let digits = String(random.next() as UInt32, radix: 16)
            let chosen = "inkling-\(moment)-\(String(repeating: "0", count: 8 - digits.count))\(digits)"
            if unsafe linkat(partials.number, "\(name).part", target.number, chosen, 0) != 0 {
                switch errno {
                case EEXIST: continue
                // A file system without hard links.
                case EPERM, EOPNOTSUPP, EMLINK:
                    guard
                        unsafe inkling_rename_new(partials.number, "\(name).part", target.number, chosen) == 0
                    else {
                        if errno == EEXIST { continue }
                        throw FileFault(systemError: errno)
                    }
                default: throw FileFault(systemError: errno)
                }
            }
            try target.sync()
            try markDone(name)
            return "\(path)/\(chosen)"
        }
        throw .system(code: EEXIST)
    }

    private func markDone(_ name: PartialName) throws(FileFault) {
        _ = try Descriptor(
            opening: "\(name).done", O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, in: partials.number)
        _ = unsafe unlinkat(partials.number, "\(name).part", 0)
        try partials.sync()
    }

    private func exists(_ name: String) -> Bool {
        unsafe faccessat(partials.number, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Removes files that were not written to for this many seconds.
    func removeUntouched(forSeconds seconds: UInt64) throws(FileFault) {
        let latest = time(nil) - time_t(clamping: seconds)
        for name in try names() where name.hasSuffix(".part") || name.hasSuffix(".done") {
            var facts = stat()
            guard unsafe fstatat(partials.number, name, &facts, AT_SYMLINK_NOFOLLOW) == 0,
                facts.st_mtim.tv_sec < latest
            else { continue }
            _ = unsafe unlinkat(partials.number, name, 0)
        }
    }

    /// Returns the names in the folder for partial files.
    private func names() throws(FileFault) -> [String] {
        let copy = try Descriptor(opening: ".", O_RDONLY | O_DIRECTORY, in: partials.number)
        let number = dup(copy.number)
        guard number >= 0, let list = unsafe fdopendir(number) else { throw FileFault(systemError: errno) }
        defer { unsafe closedir(list) }
        var names: [String] = []
        while let entry = unsafe readdir(list) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }

    /// Returns the date and time in UTC as digits.
    private static func moment() -> String {
        let now = Int(time(nil))
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        // Days since 1 March of year 0, so that a leap day ends its year.
        let days = now / 86_400 + 719_468
        let (era, day) = days.quotientAndRemainder(dividingBy: 146_097)
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let date = digits(dayOfYear - (153 * month + 2) / 5 + 1)
        let shown = "\(year + era * 400 + (month < 10 ? 0 : 1))\(digits(month < 10 ? month + 3 : month - 9))\(date)"
        return "\(shown)-\(digits(now / 3600 % 24))\(digits(now / 60 % 60))\(digits(now % 60))"
    }
}

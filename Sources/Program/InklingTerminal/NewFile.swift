#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A new file that only its owner can read, or standard output.
///
/// The file gets its name in `finish`, so an interrupted program leaves no incomplete file in the way of the next run.
package final class NewFile {
    private let path: String?
    /// The descriptor of the file; -1 until there is something to write.
    private var descriptor: Int32 = -1
    /// The temporary name, on file systems that have no unnamed files.
    private var draft: String?
    private var buffer: [UInt8] = []
    private var failure: Failure?

    /// Prepares a file at `path`, or standard output for nil.
    ///
    /// - Throws: `Failure` when the file exists, or its folder is missing or not writable.
    package init(at path: String?) throws(Failure) {
        self.path = path
        guard let path else { return }
        var facts = stat()
        guard unsafe lstat(path, &facts) != 0 else { throw Self.failure(path, EEXIST) }
        guard unsafe access(Self.folder(of: path), W_OK | X_OK) == 0 else { throw Self.failure(path, errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if let draft { unsafe unlink(draft) }
    }

    /// Creates the file, without its name, for a program that writes it in our place.
    ///
    /// - Throws: `Failure` when the file cannot be created.
    package func begin() throws(Failure) -> Int32 {
        if let path { try open(path) }
        return descriptor
    }

    /// Writes a line.
    package func write(_ line: String) { write { $0 += (line + "\n").utf8 } }

    /// Writes the bytes that `append` appends.
    package func write(_ append: (inout [UInt8]) -> Void) {
        append(&buffer)
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Writes the remaining bytes and gives the file its name.
    ///
    /// - Throws: `Failure` when bytes could not be written, or the name has been taken.
    package func finish() throws(Failure) {
        flush()
        if let failure { throw failure }
        guard let path else { return }
        guard descriptor >= 0, fsync(descriptor) == 0 else { throw Self.failure(path, errno) }
        let source = draft ?? "/proc/self/fd/\(descriptor)"
        guard unsafe linkat(AT_FDCWD, source, AT_FDCWD, path, draft == nil ? AT_SYMLINK_FOLLOW : 0) == 0 else {
            throw Self.failure(path, errno)
        }
    }

    private func flush() {
        guard failure == nil else { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        guard let path else {
            // `reporting` reports failed writes to standard output for the whole program.
            if !InklingTerminal.write(buffer.span) { failure = outputFailure() }
            return
        }
        do throws(Failure) { try open(path) } catch {
            failure = error
            return
        }
        if let code = InklingTerminal.write(buffer.span, to: descriptor) { failure = Self.failure(path, code) }
    }

    private func open(_ path: String) throws(Failure) {
        guard descriptor < 0 else { return }
        descriptor = unsafe Glibc.open(Self.folder(of: path), Self.unnamed | O_WRONLY | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            let name = "\(path).part"
            descriptor = unsafe Glibc.open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
            draft = name
        }
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
    }

    /// `O_TMPFILE`, a file without a name; Swift does not import the macro.
    private static let unnamed = 0o20000000 | O_DIRECTORY

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure(_ path: String, _ code: Int32) -> Failure {
        let status: Failure.Status =
            switch code {
            case EACCES, EPERM, EROFS: .noPermission
            case EEXIST, ENOENT, ENOTDIR: .configuration
            default: .inputOutput
            }
        return Failure(
            status, "cannot create \(path): \(systemMessage(code))",
            remedy: code == EEXIST ? "Choose another name, or delete the file." : nil)
    }
}

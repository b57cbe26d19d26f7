/// Why a vault could not be made, opened or saved: what, where, and in `description` what to do.
///
/// Nothing is overwritten when one of these is thrown (`Specs/vault.md`). It never carries a key or a name.
public struct VaultError: Error, Hashable, Sendable, Codable {
    /// What is wrong.
    public let fault: Fault
    /// The file or directory it is about.
    public let path: String

    package init(_ fault: Fault, _ path: String) {
        self.fault = fault
        self.path = path
    }

    /// What can be wrong, in the order in which it is found out.
    public enum Fault: Error, Hashable, Sendable, Codable {
        /// There is nothing at this path.
        case missing
        /// A vault is there already; a new one is never put in its place.
        case exists
        /// Something else than a regular file (or, for the home, than a directory) is there.
        case notAFile(FileKind)
        /// Other users may read or write it: the permission bits.
        case unsafePermissions(mode: UInt32)
        /// It belongs to another user: that user's number.
        case foreignOwner(user: UInt32)
        /// Another process works with this home: its process number, when it could be read.
        case alreadyRunning(process: Int32?)
        /// The file system is mounted read-only.
        case readOnly
        /// The system refuses access.
        case noPermission
        /// There is no room, or a quota or a limit on the size of files is reached.
        case diskFull
        /// Any other answer of the system: its error number.
        case system(code: Int32)

        /// More bytes than a vault may have.
        case tooLarge(bytes: UInt64, limit: UInt64)
        /// Fewer bytes than there must be.
        case truncated(bytes: Int, expected: Int)
        /// The file is no vault: it begins with other bytes.
        case foreign
        /// A later version of this program wrote it.
        case newerVersion(found: UInt32)
        /// Bytes were changed since they were written.
        case damaged(Part)
        /// The cost of the passphrase lies outside the bounds, which would stall or exhaust this machine.
        case parametersOutOfRange(passes: UInt32, kibibytes: UInt32)
        /// The vault belongs to a clock of another kind than the one it was opened for.
        case wrongClock(vault: VaultClock)
        /// The vault is locked in another way than the key that was given.
        case otherKeyNeeded(VaultKey.Method)
        /// There is no key where it was looked for.
        case keyMissing(VaultKey.Method)
        /// The key has a length outside the bounds.
        case keyLength(VaultKey.Method, bytes: Int, allowed: ClosedRange<Int>)
        /// The passphrase or key is not the one of this vault.
        case wrongKey(VaultKey.Method)
        /// The memory that the passphrase's cost asks for is not there.
        case notEnoughMemory(kibibytes: UInt32)
        /// The vault opened, but its contents break a rule at this offset.
        case malformedContents(VaultContentsError)

        /// The vault is older than the last one that was saved here.
        case restoredOldCopy(vault: UInt64, expected: UInt64)
        /// The counter that belongs beside the vault is missing, so it is unknown whether the copy is old.
        case counterMissing(vault: UInt64)

        /// The contents break a bound, so that they could not be read back; nothing was written.
        case contentsOutOfBounds(VaultContents.Bound)

        // The names of the values that have no label, as they are coded.
        private enum NotAFileCodingKeys: String, CodingKey { case _0 = "kind" }
        private enum DamagedCodingKeys: String, CodingKey { case _0 = "part" }
        private enum OtherKeyNeededCodingKeys: String, CodingKey { case _0 = "method" }
        private enum KeyMissingCodingKeys: String, CodingKey { case _0 = "method" }
        private enum KeyLengthCodingKeys: String, CodingKey {
            case _0 = "method"
            case bytes, allowed
        }
        private enum WrongKeyCodingKeys: String, CodingKey { case _0 = "method" }
        private enum MalformedContentsCodingKeys: String, CodingKey { case _0 = "error" }
        private enum ContentsOutOfBoundsCodingKeys: String, CodingKey { case _0 = "bound" }
    }

    /// What a path can lead to.
    public enum FileKind: String, Hashable, Sendable, Codable, CustomStringConvertible {
        /// A regular file.
        case file
        /// A directory.
        case directory
        /// A symbolic link.
        case symbolicLink
        /// A FIFO.
        case fifo
        /// A socket.
        case socket
        /// A device.
        case device

        /// The kind in words, with its article.
        public var description: String {
            switch self {
            case .file: "a regular file"
            case .directory: "a directory"
            case .symbolicLink: "a symbolic link"
            case .fifo: "a FIFO"
            case .socket: "a socket"
            case .device: "a device"
            }
        }
    }

    /// The part of the stored state whose bytes were changed.
    public enum Part: String, Hashable, Sendable, Codable {
        /// The header, which says how to unlock.
        case header
        /// The sealed contents.
        case contents
        /// The generation counter, which shows an old copy for what it is.
        case counter
    }
}

extension VaultError {
    /// Runs `body` and says of its fault that it is about `path`.
    static func about<Result: ~Copyable>(
        _ path: String, _ body: () throws(Fault) -> Result
    ) throws(VaultError) -> Result {
        do throws(Fault) {
            return try body()
        } catch {
            throw VaultError(error, path)
        }
    }
}

extension VaultError: CustomStringConvertible {
    /// The path, what is wrong, and what to do.
    public var description: String { "\(path): \(fault)" }
}

extension VaultError.Fault: CustomStringConvertible {
    /// What is wrong and what to do, without the path.
    public var description: String {
        switch self {
        case .missing: "nothing is here; create a vault, or name the right home directory"
        case .exists: "a vault is here already; choose another home directory, or move this one away"
        case .notAFile(let kind): "found \(kind) where the vault keeps its own; move it away"
        case .unsafePermissions(let mode):
            "mode \(octal(mode)) lets other users in; check who changed it, then remove the group and other bits"
        case .foreignOwner(let user): "belongs to user \(user); run as that user, or give it to the present one"
        case .alreadyRunning(let process?): "in use by process \(process); stop it first"
        case .alreadyRunning(nil): "in use by another process; stop it first"
        case .readOnly: "the file system is read-only; make it writable"
        case .noPermission: "access is refused; check owner and mode"
        case .diskFull: "no room to save; free some space and try again"
        case .system(let code): "system error number \(code)"
        case .tooLarge(let bytes, let limit):
            "\(bytes) bytes, more than the \(limit) allowed; restore a backup"
        case .truncated(let bytes, let expected):
            "truncated: \(bytes) bytes instead of at least \(expected); restore a backup"
        case .foreign: "not a vault; move the file away"
        case .newerVersion(let found): "written by a later release (version \(found)); install that release"
        case .damaged(.counter):
            "the generation counter was changed; if the vault may be an old copy, adopt it as restored"
        case .damaged(let part): "the \(part.rawValue) was changed or damaged; put a backup in place"
        case .parametersOutOfRange(let passes, let kibibytes):
            "asks for \(passes) passes over \(kibibytes) KiB to check a passphrase; put a backup in place"
        case .wrongClock(.real): "was made for the real clock; open it without acceleration"
        case .wrongClock(.accelerated(let rate, _)): "was made for a demonstration clock, \(rate) times the real one"
        case .otherKeyNeeded(let method): "is locked with a \(method); provide it"
        case .keyMissing(let method): "no \(method) is here; provide it"
        case .keyLength(let method, let bytes, let allowed):
            "a \(method) has \(allowed.lowerBound) to \(allowed.upperBound) bytes, this one \(bytes)"
        case .wrongKey(let method): "this \(method) does not open the vault; try again with the right one"
        case .notEnoughMemory(let kibibytes): "checking the passphrase takes \(kibibytes) KiB of memory; free some"
        case .malformedContents(let error): "opened, but the contents are malformed (\(error)); put a backup in place"
        case .restoredOldCopy(let vault, let expected):
            "an old copy: generation \(vault) where \(expected) was saved; adopt it as restored, or put the newer back"
        case .counterMissing(let vault):
            "generation \(vault) without its counter, so perhaps an old copy; adopt it as restored, or put the counter back"
        case .contentsOutOfBounds(let bound): "cannot be saved: \(bound)"
        }
    }
}

private func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

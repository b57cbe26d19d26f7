/// The reason why a vault could not be created, opened or saved. The description includes a remedy.
///
/// When it is thrown, nothing has been overwritten (`Specs/vault.md`). It contains no key and no name of a contact.
public struct VaultError: Error, Hashable, Sendable, Codable {
    /// The reason.
    public let fault: Fault
    /// The path of the file or directory concerned.
    public let path: String

    package init(_ fault: Fault, _ path: String) {
        self.fault = fault
        self.path = path
    }

    /// The kinds of reasons, in the order in which they are checked.
    public enum Fault: Error, Hashable, Sendable, Codable {
        /// The path does not exist.
        case missing
        /// The home already contains a vault, which is not overwritten.
        case exists
        /// The path is not a regular file (or, for the home, not a directory).
        case notAFile(FileKind)
        /// Other users have access; `mode` is the permission bits.
        case unsafePermissions(mode: UInt32)
        /// The file belongs to the user with this number.
        case foreignOwner(user: UInt32)
        /// Another process uses this home; `process` is its number if it could be read.
        case alreadyRunning(process: Int32?)
        /// The file system is mounted read-only.
        case readOnly
        /// The system denies access.
        case noPermission
        /// The disk is full, or a quota or file size limit is reached.
        case diskFull
        /// Another system error; `code` is its number.
        case system(code: Int32)

        /// The file is longer than a vault may be.
        case tooLarge(bytes: UInt64, limit: UInt64)
        /// The file is shorter than it must be.
        case truncated(bytes: Int, expected: Int)
        /// The file does not start like a vault.
        case foreign
        /// The file does not start like a backup.
        case notABackup
        /// A later version of this program wrote the file.
        case newerVersion(found: UInt32)
        /// Bytes were changed after they were written.
        case damaged(Part)
        /// The Argon2id cost is out of range and could stall or exhaust this machine.
        case parametersOutOfRange(passes: UInt32, kibibytes: UInt32)
        /// The vault belongs to another kind of clock than it was opened for.
        case wrongClock(vault: VaultClock)
        /// The vault needs this kind of key, but another was given.
        case otherKeyNeeded(VaultKey.Method)
        /// The key file or credential does not exist.
        case keyMissing(VaultKey.Method)
        /// The length of the key is out of range.
        case keyLength(VaultKey.Method, bytes: Int, allowed: ClosedRange<Int>)
        /// The passphrase or key does not unlock this vault.
        case wrongKey(VaultKey.Method)
        /// Argon2id needs more memory than is available.
        case notEnoughMemory(kibibytes: UInt32)
        /// The vault was opened, but its contents are invalid.
        case malformedContents(VaultContentsError)

        /// The vault is older than the last one saved in this home.
        case restoredOldCopy(vault: UInt64, expected: UInt64)
        /// The counter file is missing, so it is unknown whether the vault is an old copy.
        case counterMissing(vault: UInt64)

        /// This device does not hold the user's identity, so a backup of it would be useless.
        case notPrimary

        /// The contents exceed a limit; nothing was written.
        case contentsOutOfBounds(VaultContents.Bound)

        // The coded names of the values without a label.
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

    /// The kind of a file.
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
        /// The header of the vault.
        case header
        /// The sealed contents.
        case contents
        /// The generation counter, by which old copies are detected.
        case counter
    }
}

extension VaultError {
    /// Runs `body` and adds `path` to the fault that it throws.
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
    /// The path, the reason and the remedy.
    public var description: String { "\(path): \(fault)" }
}

extension VaultError.Fault: CustomStringConvertible {
    /// The reason and the remedy, without the path.
    public var description: String {
        switch self {
        case .missing: "no such file or directory; create a vault, or name the right home directory"
        case .exists: "a vault already exists here; choose another home directory, or move this one away"
        case .notAFile(let kind): "is \(kind), which the vault cannot use; move it away"
        case .unsafePermissions(let mode):
            "mode \(octal(mode)) lets other users in; check who changed it, then remove the group and other bits"
        case .foreignOwner(let user): "belongs to user \(user); run as that user, or change the owner"
        case .alreadyRunning(let process?): "in use by process \(process); stop it first"
        case .alreadyRunning(nil): "in use by another process; stop it first"
        case .readOnly: "the file system is read-only; make it writable"
        case .noPermission: "permission denied; check owner and mode"
        case .diskFull: "no space left; free some space and try again"
        case .system(let code): "system error \(code)"
        case .tooLarge(let bytes, let limit):
            "file has \(bytes) bytes, at most \(limit) are allowed; restore a backup"
        case .truncated(let bytes, let expected):
            "truncated: \(bytes) bytes instead of at least \(expected); restore a backup"
        case .foreign: "not a vault; move the file away"
        case .notABackup: "not a backup; name a file that 'inkling backup' has written"
        case .newerVersion(let found): "written by a later release (version \(found)); install that release"
        case .damaged(.counter):
            "the generation counter was changed; if the vault may be an old copy, adopt it as restored"
        case .damaged(let part): "the \(part.rawValue) was changed or damaged; restore a backup"
        case .parametersOutOfRange(let passes, let kibibytes):
            "invalid cost of a passphrase: \(passes) passes over \(kibibytes) KiB; restore a backup"
        case .wrongClock(.real): "was created for the real clock; open it without acceleration"
        case .wrongClock(.accelerated(let rate, _)):
            "was created for a demonstration clock that runs \(rate) times as fast as the real one"
        case .otherKeyNeeded(let method): "is locked with a \(method); provide it"
        case .keyMissing(let method): "no \(method) found; provide it"
        case .keyLength(let method, let bytes, let allowed):
            "\(method) must be \(allowed.lowerBound) to \(allowed.upperBound) bytes, got \(bytes)"
        case .wrongKey(let method): "this \(method) does not open the vault; try again with the right one"
        case .notEnoughMemory(let kibibytes):
            "not enough memory to check the passphrase, which takes \(kibibytes) KiB; free some and try again"
        case .malformedContents(let error): "opened, but the contents are invalid (\(error)); restore a backup"
        case .restoredOldCopy(let vault, let expected):
            "an old copy: generation \(vault) instead of \(expected); adopt it as restored, or restore the newer one"
        case .counterMissing(let vault):
            "generation \(vault) has no counter, so it may be an old copy; adopt it as restored, or restore the counter"
        case .notPrimary:
            "not the primary device: a lost one is linked again from the primary, and needs no backup"
        case .contentsOutOfBounds(let bound): "cannot be saved: \(bound)"
        }
    }
}

private func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

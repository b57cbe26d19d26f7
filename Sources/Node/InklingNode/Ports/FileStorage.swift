internal import InklingKeys
public import InklingWire

/// The storage for files that a node sends and receives. `InklingLinux` and `InklingSimulation` each provide one.
///
/// Calls may wait for a disk. The node makes reads in sequence and, concurrently, writes in sequence.
public protocol FileStorage: Sendable {
    /// Opens a file to send.
    ///
    /// - Throws: `FileFault`, with `.notAFile` for anything but a regular file.
    func openSource(_ path: String) async throws(FileFault) -> any FileSource
    /// Whether files can be received: a folder for them was configured.
    var takesFiles: Bool { get }
    /// Returns what is stored of a transfer.
    func find(_ name: PartialName) async -> FoundFile
    /// Opens or creates the partial file of a transfer, which must be private to this user.
    ///
    /// - Throws: `FileFault`, with `.diskFull` if the rest of `size` bytes leaves less space than must stay free.
    func openPartial(_ name: PartialName, size: UInt64) async throws(FileFault) -> any PartialFile
    /// Removes the partial file of a transfer.
    func discard(_ name: PartialName) async
    /// Removes the leftovers of transfers untouched for this many seconds of real time.
    func removeUntouched(forSeconds seconds: UInt64) async
    /// Returns the sealed list of queued files as last saved; nil if there is none.
    func loadQueue() async -> [UInt8]?
    /// Replaces the list atomically: a crash leaves the old one or the new one.
    func saveQueue(_ sealed: [UInt8]) async throws(FileFault)
}

/// A file to send.
public protocol FileSource: Sendable {
    /// The size in bytes.
    var size: UInt64 { get }
    /// A value that changes when the file is written to or replaced.
    var version: UInt64 { get }
    /// Reads at most `count` bytes; fewer only at the end of the file.
    func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8]
    /// Returns whether size and version are still as they were at opening.
    func isUnchanged() async -> Bool
}

/// A file that is being received, without a name visible to a user.
public protocol PartialFile: Sendable {
    /// Returns its length in bytes.
    func length() async throws(FileFault) -> UInt64
    /// Reads at most `count` bytes.
    func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8]
    /// Removes every byte.
    func empty() async throws(FileFault)
    /// Appends bytes.
    func append(_ bytes: [UInt8]) async throws(FileFault)
    /// Returns once everything appended would survive a power cut.
    func sync() async throws(FileFault)
    /// Gives the file its name, replacing no other file, and returns its path once the name would survive a power cut.
    func keep() async throws(FileFault) -> String
}

/// The name of a partial file: 32 hexadecimal digits that reveal nothing to anyone who does not know the transfer.
public struct PartialName: Hashable, Sendable, CustomStringConvertible {
    public let description: String
}

extension PartialName {
    /// Creates the name of a transfer's partial file. The id is random, so nobody else can compute the name.
    init(_ id: TransferID, from device: KnownDevice, size: UInt64) {
        let hash = sha256 { input in
            input.append(DerivationLabel.partialFile)
            input.append(id.octets)
            input.append(device.user.octets)
            input.append(u8: device.device.number)
            input.append(u64: size)
        }
        description = hash.first.description
    }
}

/// The reason why a file cannot be read or written.
public enum FileFault: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// There is no such file.
    case missing
    /// It is a folder, a device, a socket, a FIFO or a symbolic link.
    case notAFile
    /// This user may not use it, or others may.
    case noPermission
    /// The disk or the quota is full.
    case diskFull
    /// It is larger than 2^40 bytes.
    case tooLarge
    /// It has changed since it was opened.
    case changed
    /// No folder for received files was configured, or it cannot be used.
    case noFolder
    /// Another system error, with its number.
    case system(code: Int32)

    /// The reason in words.
    public var description: String {
        switch self {
        case .missing: "there is no such file"
        case .notAFile: "not a regular file"
        case .noPermission: "no permission"
        case .diskFull: "the disk is full"
        case .tooLarge: "larger than \(FileWords.sizeLimit) bytes"
        case .changed: "it has changed in the meantime"
        case .noFolder: "there is no folder for received files"
        case .system(let code): "system error \(code)"
        }
    }
}

/// The storage of a node that neither sends nor receives files.
public struct NoFileStorage: FileStorage {
    /// Creates the storage.
    public init() {}

    public var takesFiles: Bool { false }
    public func openSource(_ path: String) async throws(FileFault) -> any FileSource { throw .noFolder }
    public func find(_ name: PartialName) async -> FoundFile { .unusable }
    public func openPartial(_ name: PartialName, size: UInt64) async throws(FileFault) -> any PartialFile {
        throw .noFolder
    }
    public func discard(_ name: PartialName) async {}
    public func removeUntouched(forSeconds seconds: UInt64) async {}
    public func loadQueue() async -> [UInt8]? { nil }
    public func saveQueue(_ sealed: [UInt8]) async throws(FileFault) {}
}

public import InklingWire

/// Where a node reads the files that it sends and writes those that it receives. `InklingLinux` and `InklingSimulation`
/// each provide one.
///
/// Calls may wait for a disk. The node makes them one after the other, reads beside writes.
public protocol FileStorage: Sendable {
    /// Opens a file to send.
    ///
    /// - Throws: `FileFault`, with `.notAFile` for everything but a regular file.
    func openSource(_ path: String) async throws(FileFault) -> any FileSource
    /// Whether files can be received at all: a folder for them was named.
    var takesFiles: Bool { get }
    /// Returns what is there of a transfer.
    func find(_ name: PartialName) async -> FoundFile
    /// Opens the partial file of a transfer, which must be private to this user, or creates it.
    ///
    /// - Throws: `FileFault`, with `.diskFull` when what is missing to `size` bytes has no room beside what must stay free.
    func openPartial(_ name: PartialName, size: UInt64) async throws(FileFault) -> any PartialFile
    /// Removes the partial file of a transfer.
    func discard(_ name: PartialName) async
    /// Removes the rests of transfers that nobody has touched for so many seconds of real time.
    func removeUntouched(forSeconds seconds: UInt64) async
    /// Returns the sealed list of files that go to contacts, as saved last; nil when there is none.
    func loadQueue() async -> [UInt8]?
    /// Replaces the list, so that a crash leaves the old one or the new.
    func saveQueue(_ sealed: [UInt8]) async throws(FileFault)
}

/// A file that is sent.
public protocol FileSource: Sendable {
    /// Its size in bytes.
    var size: UInt64 { get }
    /// A value that changes when the file is written to or replaced.
    var version: UInt64 { get }
    /// Reads at most `count` bytes; fewer only at the end of the file.
    func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8]
    /// Whether size and version are as they were when it was opened.
    func isUnchanged() async -> Bool
}

/// A file that is being received, without a name that a user sees.
public protocol PartialFile: Sendable {
    /// How many bytes it has.
    func length() async throws(FileFault) -> UInt64
    /// Reads at most `count` bytes.
    func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8]
    /// Removes every byte.
    func empty() async throws(FileFault)
    /// Appends bytes.
    func append(_ bytes: [UInt8]) async throws(FileFault)
    /// Returns when everything that was appended would survive a loss of power.
    func sync() async throws(FileFault)
    /// Gives the file its name, replaces no other file, and returns its path when the name would survive a loss of power.
    func keep() async throws(FileFault) -> String
}

/// The name of a partial file: 32 hexadecimal digits that tell nothing to who does not know the transfer.
public struct PartialName: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Creates a name from digits that the node has computed.
    init(digits: String) { description = digits }
}

/// Why a file cannot be read or written.
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
    /// No folder for received files was named, or it cannot be used.
    case noFolder
    /// Another error of the system, with its number.
    case system(code: Int32)

    /// What is wrong, in words.
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

/// Takes the place of a disk where a node neither sends nor receives files.
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

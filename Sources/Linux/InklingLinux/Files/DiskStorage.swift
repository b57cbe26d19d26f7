public import InklingNode
public import InklingWire

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The files of a node on the disks of a Linux machine.
///
/// Received files go into one folder of the user. Until they are checked they stay in a subfolder that only this user
/// can enter, on the same file system, so that a file gets its final name in one step. The list of outgoing files is in
/// the home.
public struct DiskStorage: FileStorage {
    /// The name of the folder for partial files.
    static let partialFolder = ".inkling-partial"
    /// The name of the list of outgoing files.
    static let queueName = "files"
    /// The number of bytes kept free on the disk.
    static let reserve: UInt64 = 64 << 20
    /// The largest size of the list in bytes.
    private static let queueLimit = 1 << 20

    private let home: String
    private let folder: String?
    private let thread = FileThread()
    private let reading = FileThread()

    /// Creates the storage of a home, with a folder for received files; `nil` accepts none.
    public init(home: String, folder: String?) {
        self.home = home
        self.folder = folder
    }

    public var takesFiles: Bool { folder != nil }

    public func openSource(_ path: String) async throws(FileFault) -> any FileSource {
        try await reading.carryOut { () throws(FileFault) in try DiskSource(path, on: reading) }
    }

    public func find(_ name: PartialName) async -> FoundFile {
        guard let folder else { return .unusable }
        return (try? await thread.carryOut { () throws(FileFault) in try PartialFolder(in: folder).find(name) })
            ?? .unusable
    }

    public func openPartial(_ name: PartialName, size: UInt64) async throws(FileFault) -> any PartialFile {
        guard let folder else { throw .noFolder }
        return try await thread.carryOut { () throws(FileFault) in
            try DiskPartial(name, size: size, in: PartialFolder(in: folder), on: thread)
        }
    }

    public func discard(_ name: PartialName) async {
        guard let folder else { return }
        try? await thread.carryOut { () throws(FileFault) in try PartialFolder(in: folder).discard(name) }
    }

    public func removeUntouched(forSeconds seconds: UInt64) async {
        guard let folder else { return }
        try? await thread.carryOut { () throws(FileFault) in
            try PartialFolder(in: folder).removeUntouched(forSeconds: seconds)
        }
    }

    public func loadQueue() async -> [UInt8]? {
        try? await thread.carryOut { () throws(FileFault) in
            let file = try Descriptor(opening: "\(home)/\(Self.queueName)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            let status = try file.status()
            guard status.isRegularFile, status.size <= Self.queueLimit else { throw .notAFile }
            return try file.read(at: 0, count: Int(status.size))
        }
    }

    public func saveQueue(_ sealed: [UInt8]) async throws(FileFault) {
        try await thread.carryOut { () throws(FileFault) in
            let path = "\(home)/\(Self.queueName)"
            let fresh = path + ".new"
            _ = unsafe unlink(fresh)
            let file = try Descriptor(opening: fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            try file.append(sealed)
            try file.sync()
            guard unsafe rename(fresh, path) == 0 else { throw FileFault(systemError: errno) }
            try Descriptor(opening: home, O_RDONLY | O_DIRECTORY).sync()
        }
    }
}

/// A file being sent. It is opened once, so that replacing it under its path does no harm.
private final class DiskSource: FileSource {
    let size: UInt64
    let version: UInt64
    private let descriptor: Descriptor
    private let thread: FileThread

    init(_ path: String, on thread: FileThread) throws(FileFault) {
        self.thread = thread
        // Non-blocking, because opening a FIFO would otherwise wait for its writer.
        descriptor = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
        let status = try descriptor.status()
        guard status.isRegularFile else { throw .notAFile }
        (size, version) = (status.size, status.version)
    }

    func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8] {
        try await thread.carryOut { () throws(FileFault) in try self.descriptor.read(at: offset, count: count) }
    }

    func isUnchanged() async -> Bool {
        (try? await thread.carryOut { () throws(FileFault) in
            let status = try self.descriptor.status()
            return status.size == self.size && status.version == self.version
        }) ?? false
    }
}

/// A file being received.
private final class DiskPartial: PartialFile {
    private let name: PartialName
    private let folder: PartialFolder
    private let descriptor: Descriptor
    private let thread: FileThread

    init(_ name: PartialName, size: UInt64, in folder: PartialFolder, on thread: FileThread) throws(FileFault) {
        descriptor = try folder.open(name)
        let length = try descriptor.status().size
        guard try folder.freeBytes() >= DiskStorage.reserve + (size - min(size, length)) else {
            // A file without room leaves nothing behind.
            if length == 0 { folder.discard(name) }
            throw .diskFull
        }
        self.name = name
        self.folder = folder
        self.thread = thread
    }

    func length() async throws(FileFault) -> UInt64 {
        try await thread.carryOut { () throws(FileFault) in try self.descriptor.status().size }
    }

    func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8] {
        try await thread.carryOut { () throws(FileFault) in try self.descriptor.read(at: offset, count: count) }
    }

    func empty() async throws(FileFault) {
        try await thread.carryOut { () throws(FileFault) in try self.descriptor.empty() }
    }

    func append(_ bytes: [UInt8]) async throws(FileFault) {
        try await thread.carryOut { () throws(FileFault) in try self.descriptor.append(bytes) }
    }

    func sync() async throws(FileFault) {
        try await thread.carryOut { () throws(FileFault) in try self.descriptor.syncBytes() }
    }

    func keep() async throws(FileFault) -> String {
        try await thread.carryOut { () throws(FileFault) in
            try self.descriptor.sync()
            return try self.folder.keep(self.name)
        }
    }
}

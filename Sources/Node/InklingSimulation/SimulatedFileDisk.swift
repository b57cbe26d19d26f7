public import InklingNode
public import InklingWire
internal import Synchronization

/// A simulated disk for the files of a node. It can lose power, be full and corrupt bytes.
///
/// Appended bytes that were not synced are lost when `losePower` is called. Every operation is logged, so that tests
/// see the order of a node's operations.
public final class SimulatedFileDisk: FileStorage {
    /// An operation of the node.
    public enum Operation: Hashable, Sendable {
        /// A partial file was created.
        case created(String)
        /// The bytes of a partial file were removed.
        case emptied(String)
        /// Bytes were appended at an offset.
        case appended(String, at: Int, count: Int)
        /// This many bytes of a file now survive a power failure.
        case synced(String, length: Int)
        /// A whole file was given its name.
        case kept(String)
        /// A partial file was removed.
        case discarded(String)
    }

    private struct Partial {
        var bytes: [UInt8] = []
        var syncedCount = 0
    }

    private struct State {
        var sources: [String: (bytes: [UInt8], version: UInt64)] = [:]
        var partials: [String: Partial] = [:]
        var done: Set<String> = []
        var kept: [[UInt8]] = []
        var queue: [UInt8]?
        var log: [Operation] = []
        var room = Int.max
        var takesFiles = true
    }

    private let state = Mutex(State())

    /// Creates an empty disk.
    public init() {}

    // MARK: Control by a test

    /// The files that were kept, in order.
    public var kept: [[UInt8]] { state.withLock { $0.kept } }
    /// The operations so far.
    public var log: [Operation] { state.withLock { $0.log } }
    /// The bytes of the partial files.
    public var partials: [[UInt8]] { state.withLock { $0.partials.sorted { $0.key < $1.key }.map(\.value.bytes) } }

    /// Puts a file under a path, or changes the one there.
    public func put(_ bytes: [UInt8], at path: String) {
        state.withLock { $0.sources[path] = (bytes, ($0.sources[path]?.version ?? 0) + 1) }
    }

    /// Makes the disk full after this many further bytes.
    public func limit(toBytes count: Int) { state.withLock { $0.room = count } }

    /// Sets whether a folder for received files was configured.
    public func setTakesFiles(_ takes: Bool) { state.withLock { $0.takesFiles = takes } }

    /// Drops all unsynced bytes.
    public func losePower() {
        state.withLock { state in
            for (name, partial) in state.partials {
                state.partials[name] = Partial(
                    bytes: Array(partial.bytes.prefix(partial.syncedCount)), syncedCount: partial.syncedCount)
            }
        }
    }

    /// Changes bytes of the partial files, like a broken disk.
    public func damagePartials() {
        state.withLock { state in
            for (name, partial) in state.partials where !partial.bytes.isEmpty {
                state.partials[name]?.bytes[partial.bytes.count / 2] ^= 1
            }
        }
    }

    // MARK: The port

    public var takesFiles: Bool { state.withLock { $0.takesFiles } }

    public func openSource(_ path: String) async throws(FileFault) -> any FileSource {
        guard let (bytes, version) = state.withLock({ $0.sources[path] }) else { throw .missing }
        return Source(path: path, size: UInt64(bytes.count), version: version, disk: self)
    }

    public func find(_ name: PartialName) async -> FoundFile {
        state.withLock { state in
            if state.done.contains(name.description) { return .whole }
            return state.partials[name.description] == nil ? .nothing : .part
        }
    }

    public func openPartial(_ name: PartialName, size: UInt64) async throws(FileFault) -> any PartialFile {
        let hasRoom = state.withLock { state in
            let missing = Int(clamping: size) - (state.partials[name.description]?.bytes.count ?? 0)
            guard missing <= state.room else { return false }
            if state.partials[name.description] == nil {
                state.partials[name.description] = Partial()
                state.log.append(.created(name.description))
            }
            return true
        }
        guard hasRoom else { throw .diskFull }
        return Target(name: name.description, disk: self)
    }

    public func discard(_ name: PartialName) async {
        state.withLock { state in
            state.partials[name.description] = nil
            state.log.append(.discarded(name.description))
        }
    }

    public func removeUntouched(forSeconds seconds: UInt64) async {}

    public func loadQueue() async -> [UInt8]? { state.withLock { $0.queue } }

    public func saveQueue(_ sealed: [UInt8]) async throws(FileFault) { state.withLock { $0.queue = sealed } }

    private struct Source: FileSource {
        let path: String
        let size: UInt64
        let version: UInt64
        let disk: SimulatedFileDisk

        func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8] {
            let bytes = disk.state.withLock { $0.sources[path]?.bytes } ?? []
            let start = min(Int(clamping: offset), bytes.count)
            return Array(bytes[start..<min(start + count, bytes.count)])
        }

        func isUnchanged() async -> Bool { disk.state.withLock { $0.sources[path]?.version } == version }
    }

    private struct Target: PartialFile {
        let name: String
        let disk: SimulatedFileDisk

        func length() async throws(FileFault) -> UInt64 {
            UInt64(disk.state.withLock { $0.partials[name]?.bytes.count ?? 0 })
        }

        func read(at offset: UInt64, count: Int) async throws(FileFault) -> [UInt8] {
            let bytes = disk.state.withLock { $0.partials[name]?.bytes } ?? []
            let start = min(Int(clamping: offset), bytes.count)
            return Array(bytes[start..<min(start + count, bytes.count)])
        }

        func empty() async throws(FileFault) {
            disk.state.withLock { state in
                state.partials[name] = Partial()
                state.log.append(.emptied(name))
            }
        }

        func append(_ bytes: [UInt8]) async throws(FileFault) {
            let isWritten = disk.state.withLock { state in
                guard bytes.count <= state.room, let length = state.partials[name]?.bytes.count else { return false }
                state.room -= state.room == .max ? 0 : bytes.count
                state.log.append(.appended(name, at: length, count: bytes.count))
                state.partials[name]?.bytes += bytes
                return true
            }
            guard isWritten else { throw .diskFull }
        }

        func sync() async throws(FileFault) {
            disk.state.withLock { state in
                let length = state.partials[name]?.bytes.count ?? 0
                state.partials[name]?.syncedCount = length
                state.log.append(.synced(name, length: length))
            }
        }

        func keep() async throws(FileFault) -> String {
            disk.state.withLock { state in
                guard let partial = state.partials.removeValue(forKey: name) else { return }
                state.kept.append(partial.bytes)
                state.done.insert(name)
                state.log.append(.kept(name))
            }
            return "kept"
        }
    }
}

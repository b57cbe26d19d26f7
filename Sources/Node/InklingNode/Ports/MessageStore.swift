public import InklingVault
internal import Synchronization

/// The store of the messages that a node has queued and received (`Specs/message-store.md`).
///
/// `SQLiteMessageStore` of `InklingLinux` and `SimulatedMessageStore` of `InklingSimulation` each provide one. A store
/// knows nothing about delivery: it keeps rows, each under its place, and detects rows that were changed, lost or
/// replaced by older ones.
public protocol MessageStore: Sendable {
    /// Returns the stored rows. A node calls it once, before anything else.
    ///
    /// - Throws: `MessageStoreError` if the store cannot be used at all. Lost rows are not an error: they are missing
    ///   in the result, and `findings` says so.
    func load() async throws(MessageStoreError) -> LoadedMessages

    /// Returns the whole body of a row; nil if there is no row at this place.
    func body(at place: MessagePlace) async throws(MessageStoreError) -> [UInt8]?

    /// Applies all changes or none. On return they survive a crash and a power cut.
    ///
    /// - Returns: the generation of the store, which grows with every call.
    /// - Throws: `MessageStoreError`; the stored rows are then unchanged.
    func apply(_ changes: [MessageStoreChange]) async throws(MessageStoreError) -> UInt64
}

/// A message store in memory, for nodes whose messages need not survive the process.
public final class MemoryMessageStore: MessageStore {
    private struct State {
        var rows: [MessagePlace: [UInt8]] = [:]
        var generation: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Creates an empty store.
    public init() {}

    public func load() async throws(MessageStoreError) -> LoadedMessages {
        state.withLock { state in
            LoadedMessages(
                rows: state.rows.sorted { $0.key < $1.key }.map { LoadedMessages.Row($0.key, body: $0.value) },
                generation: state.generation, era: 0, findings: [])
        }
    }

    public func body(at place: MessagePlace) async throws(MessageStoreError) -> [UInt8]? {
        state.withLock { $0.rows[place] }
    }

    public func apply(_ changes: [MessageStoreChange]) async throws(MessageStoreError) -> UInt64 {
        state.withLock { state in
            for change in changes {
                switch change {
                case .put(let place, let body): state.rows[place] = body
                case .remove(let place): state.rows[place] = nil
                }
            }
            state.generation += 1
            return state.generation
        }
    }
}

internal import Synchronization

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

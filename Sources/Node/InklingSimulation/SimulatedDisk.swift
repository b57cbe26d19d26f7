internal import InklingKeys
public import InklingNode
public import InklingVault
internal import Synchronization

/// A simulated disk with a vault and a message store, which loses unsynced writes when the power fails.
///
/// Every write takes a while, during which the power can fail: by chance it is then on the disk completely, or not at
/// all. Reported writes stay. A disk whose syncing does nothing (`isHonest` is false) reports writes all the same and
/// may lose them; it shows that the tests would notice.
public final class SimulatedDisk: ContentsKeeper, MessageStore {
    private enum Write {
        case vault(VaultContents)
        case messages([MessageStoreChange])
    }

    private struct State {
        var contents: VaultContents
        var rows: [MessagePlace: [UInt8]] = [:]
        var generation: UInt64 = 0
        var era: UInt64 = 0
        var findings: [MessageStoreFinding] = []
        /// Writes that a power failure can undo, oldest first, by number.
        var open: [(number: UInt64, write: Write)] = []
        var count: UInt64 = 0
        var generator: SimulationGenerator
        var isFull = false
        /// Whether writes are ignored because the power is off.
        var isOff = false

        mutating func commit(_ write: Write) {
            switch write {
            case .vault(let contents): self.contents = contents
            case .messages(let changes):
                for change in changes {
                    switch change {
                    case .put(let place, let body): rows[place] = body
                    case .remove(let place): rows[place] = nil
                    }
                }
            }
        }
    }

    /// EIO.
    private static let inputOutputError: Int32 = 5

    private let state: Mutex<State>
    private let clock: any NodeClock
    private let latency: UInt64
    private let isHonest: Bool

    /// Creates a disk with a vault.
    ///
    /// - Parameters:
    ///   - contents: the contents of the vault.
    ///   - clock: the clock by which writes take time.
    ///   - seed: the seed for what a power failure undoes.
    ///   - latency: the duration of a write, in milliseconds.
    ///   - isHonest: whether reported writes stay.
    public init(
        _ contents: VaultContents, clock: any NodeClock, seed: UInt64, latency: UInt64 = 6, isHonest: Bool = true
    ) {
        state = Mutex(State(contents: contents, generator: SimulationGenerator(seed: seed)))
        self.clock = clock
        self.latency = latency
        self.isHonest = isHonest
    }

    /// The contents of the vault on the disk, for the next run of a node.
    public var contents: VaultContents { state.withLock { $0.contents } }

    /// Cuts the power: of the unsynced writes, some are on the disk. Later writes are lost; stop the node that used the
    /// disk, turn the power on again, and continue with another one.
    public func losePower() {
        state.withLock { state in
            for (_, write) in state.open where Bool.random(using: &state.generator) { state.commit(write) }
            state.open = []
            state.isOff = true
        }
    }

    /// Turns the power on again.
    public func turnOn() {
        state.withLock { state in
            state.isOff = false
            state.open = []
        }
    }

    /// Makes writes fail because the disk is full, or succeed again.
    public func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    /// Returns a snapshot of the disk, like a backup.
    public func copy() -> Snapshot {
        state.withLock { Snapshot(contents: $0.contents, rows: $0.rows, generation: $0.generation) }
    }

    /// Restores a snapshot. A store notices and reports that; see `MessageStoreFinding`.
    public func restore(_ copy: Snapshot) {
        state.withLock { state in
            state.findings = [.restoredOldCopy(generation: copy.generation, expected: state.generation)]
            state.contents = copy.contents
            state.rows = copy.rows
            state.era += 1
            state.generation += 1
            state.open = []
        }
    }

    /// A snapshot of a disk.
    public struct Snapshot: Sendable {
        fileprivate let contents: VaultContents
        fileprivate let rows: [MessagePlace: [UInt8]]
        fileprivate let generation: UInt64
    }

    // MARK: Vault

    public func save(_ contents: VaultContents) async throws(VaultError) {
        if let fault = await fault(of: .vault(contents)) { throw VaultError(fault, "disk") }
    }

    // MARK: Messages

    public func load() async throws(MessageStoreError) -> LoadedMessages {
        state.withLock { state in
            defer { state.findings = [] }
            return LoadedMessages(
                rows: state.rows.sorted { $0.key < $1.key }.map { LoadedMessages.Row($0.key, body: $0.value) },
                generation: state.generation, era: state.era, findings: state.findings)
        }
    }

    public func body(at place: MessagePlace) async throws(MessageStoreError) -> [UInt8]? {
        state.withLock { $0.rows[place] }
    }

    public func apply(_ changes: [MessageStoreChange]) async throws(MessageStoreError) -> UInt64 {
        if let fault = await fault(of: .messages(changes)) { throw MessageStoreError(VaultError(fault, "disk")) }
        return state.withLock { state in
            state.generation += 1
            return state.generation
        }
    }

    /// Carries out a write, and returns once it is synced. Returns its fault if the disk is full, or its power off or
    /// cut in the meantime: such a write may be on the disk, and is not reported.
    private func fault(of write: Write) async -> VaultError.Fault? {
        let number = state.withLock { state -> UInt64? in
            guard !state.isFull else { return nil }
            state.count += 1
            state.open.append((state.count, write))
            return state.count
        }
        guard let number else { return .diskFull }
        let done = clock.read().tick.advanced(byMilliseconds: latency)
        try? await clock.sleep(until: done)
        return state.withLock { state in
            guard isHonest else { return nil }
            guard !state.isOff, let index = state.open.firstIndex(where: { $0.number == number }) else {
                return .system(code: Self.inputOutputError)
            }
            state.commit(state.open.remove(at: index).write)
            return nil
        }
    }
}

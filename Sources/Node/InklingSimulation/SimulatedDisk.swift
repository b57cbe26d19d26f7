internal import InklingKeys
public import InklingNode
internal import Synchronization

/// A simulated disk with a vault and a message store, which loses what was not synced when the machine loses power.
///
/// Every write takes a while, in which the power can go: it is then on the disk whole, or not at all, by chance. What was
/// reported as stored stays. A disk of which syncing does nothing (`isHonest` is false) reports each write at once and may
/// lose the latest ones; with it, tests show that they would notice.
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
        /// Writes that a loss of power can undo, oldest first, by number.
        var open: [(number: UInt64, write: Write)] = []
        var count: UInt64 = 0
        var generator: SimulationGenerator
        var isFull = false
        /// Whether nothing is written any more.
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

    private let state: Mutex<State>
    private let clock: any NodeClock
    private let latency: UInt64
    private let isHonest: Bool

    /// Creates a disk with a vault.
    ///
    /// - Parameters:
    ///   - contents: the contents of the vault.
    ///   - clock: the clock by which writes take time.
    ///   - seed: the seed of what a loss of power undoes.
    ///   - latency: how long a write takes, in milliseconds.
    ///   - isHonest: whether a write that was reported stays.
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

    /// Cuts the power: of the writes that were not synced, some are on the disk. What is written from now on is lost; stop the
    /// node that used it, turn the power on again, and continue with another one.
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

    /// A copy of the disk, as a backup has it.
    public func copy() -> Snapshot {
        state.withLock { Snapshot(contents: $0.contents, rows: $0.rows, generation: $0.generation) }
    }

    /// Puts a copy back. A store notices that and says so; see `MessageStoreFinding`.
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

    /// A copy of a disk.
    public struct Snapshot: Sendable {
        fileprivate let contents: VaultContents
        fileprivate let rows: [MessagePlace: [UInt8]]
        fileprivate let generation: UInt64
    }

    // MARK: Vault

    public func save(_ contents: VaultContents) async throws(VaultError) {
        guard await carryOut(.vault(contents)) else { throw VaultError(.diskFull, "disk") }
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
        guard await carryOut(.messages(changes)) else { throw MessageStoreError(.file(.diskFull), "disk") }
        return state.withLock { state in
            state.generation += 1
            return state.generation
        }
    }

    /// Writes, and returns when that is synced; false when the disk is full.
    private func carryOut(_ write: Write) async -> Bool {
        let number = state.withLock { state -> UInt64? in
            guard !state.isFull else { return nil }
            state.count += 1
            state.open.append((state.count, write))
            return state.count
        }
        guard let number else { return false }
        let done = clock.read().tick.advanced(byMilliseconds: latency)
        try? await clock.sleep(until: done)
        state.withLock { state in
            guard let index = state.open.firstIndex(where: { $0.number == number }) else { return }
            guard isHonest, !state.isOff else { return }
            state.commit(state.open.remove(at: index).write)
        }
        return true
    }
}

public import InklingNode
internal import Synchronization

/// Whole networks of nodes inside one test: no sockets, no threads, no waiting.
///
/// ```swift
/// try await Simulation.run(seed: 1) { simulation in
///     let alice = simulation.addHost()
///     let node = Node(contents: contents, keeper: MemoryKeeper(contents), ports: alice.ports)
///     simulation.start(node)
///     try await simulation.wait(forSeconds: 30) { await node.status().showing != nil }
/// }
/// ```
///
/// **Time** stands still while anything can run and then jumps to the next planned moment, so a day costs no more than
/// what happens in it. **Everything is reproducible**: all tasks that begin inside run on one executor in the order in
/// which they become ready, and all chance comes from the seed. What leaves that executor is neither waited for nor
/// reproducible: a `Task` made without `Simulation.start`, `Task.sleep`, threads, real sockets and files; and so is the
/// order in which sets and dictionaries are walked, which differs from one process to the next.
public final class Simulation: Sendable {
    /// Why a simulation stopped.
    public enum Failure: Error, Hashable, Sendable {
        /// A condition did not come to hold in this many milliseconds.
        case timedOut(milliseconds: UInt64)
        /// The body still waits, and nothing is planned any more that could let it go on.
        case stalled
        /// The body still waits at the end of the time that it was given, in milliseconds.
        case overran(milliseconds: UInt64)
    }

    private struct State {
        var settling: [CheckedContinuation<Void, Never>] = []
        var stepping: [CheckedContinuation<Void, Never>] = []
        var tasks: [Task<Void, Never>] = []
        var runningTasks = 0
        var hosts: [SimulatedHost] = []
    }

    /// The network between the hosts.
    public let network: SimulatedNetwork
    private let seed: UInt64
    private let start: UInt64
    private let executor = SimulationExecutor()
    private let timeline = Timeline()
    private let state = Mutex(State())

    private init(seed: UInt64, start: UInt64) {
        self.seed = seed
        self.start = start
        network = SimulatedNetwork(seed: seed, timeline: timeline)
    }

    /// Runs `body` in a world of its own, stops what it started, and returns what it returns.
    ///
    /// - Parameters:
    ///   - seed: decides everything that is left to chance.
    ///   - start: protocol time at the beginning, in Unix seconds; by default ten minutes before an epoch ends.
    ///   - limit: how many seconds of simulated time `body` may take.
    ///   - body: what happens in it.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or `Failure`.
    public static func run<Result: Sendable>(
        seed: UInt64, start: UInt64 = 1_800_000_300, limit: UInt64 = 30 * 86_400,
        _ body: @escaping @Sendable (Simulation) async throws -> Result
    ) async throws -> Result {
        let simulation = Simulation(seed: seed, start: start)
        let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
        let main = Task(executorPreference: simulation.executor) {
            do {
                let value = try await body(simulation)
                outcome.withLock { $0 = .success(value) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        defer { main.cancel() }
        try simulation.drive(limit: limit * 1000) { outcome.withLock { $0 != nil } }
        for task in simulation.state.withLock({ $0.tasks }) { task.cancel() }
        try simulation.drive(limit: simulation.timeline.now + 3_600_000) {
            simulation.state.withLock { $0.runningTasks == 0 }
        }
        guard let result = outcome.withLock({ $0 }) else { throw Failure.stalled }
        return try result.get()
    }

    /// Runs everything that can run; when nothing can, lets those go on who wait for that, or else moves time.
    private func drive(limit: UInt64, until isDone: () -> Bool) throws {
        while true {
            if executor.runNext() { continue }
            if isDone() { return }
            let waiting = state.withLock { state in
                defer { state.settling = [] }
                return state.settling
            }
            if !waiting.isEmpty {
                for waiter in waiting { waiter.resume() }
                continue
            }
            guard timeline.advance(limit: limit) else {
                throw timeline.now < limit ? Failure.stalled : Failure.overran(milliseconds: limit)
            }
            state.withLock { state in
                state.settling += state.stepping
                state.stepping = []
            }
        }
    }

    // MARK: The world

    /// Adds a machine to the network.
    ///
    /// - Parameter clockError: by how many milliseconds its protocol time is ahead (positive) or behind.
    /// - Returns: the machine.
    public func addHost(clockError: Int64 = 0) -> SimulatedHost {
        let right = start * 1000 + timeline.now
        let shown = clockError >= 0 ? right + clockError.magnitude : right - min(right, clockError.magnitude)
        let clock = SimulatedClock(timeline: timeline, unixMilliseconds: shown)
        let number = state.withLock { $0.hosts.count }
        let host = SimulatedHost(number: number, seed: seed, clock: clock, network: network)
        state.withLock { $0.hosts.append(host) }
        return host
    }

    /// Runs a node until it is stopped, or else until the end of the simulation.
    public func start(_ node: Node) { start { await node.run() } }

    /// Runs something beside the body, until its end or the end of the simulation, when it is cancelled.
    public func start(_ operation: @escaping @Sendable () async -> Void) {
        state.withLock { $0.runningTasks += 1 }
        let task = Task(executorPreference: executor) {
            await operation()
            self.state.withLock { $0.runningTasks -= 1 }
        }
        state.withLock { $0.tasks.append(task) }
    }

    // MARK: Time

    /// Milliseconds of real time since the beginning.
    public var elapsed: UInt64 { timeline.now }

    /// Returns when nothing can go on any more without time.
    public func settle() async {
        await withCheckedContinuation { waiter in state.withLock { $0.settling.append(waiter) } }
    }

    /// Lets real time pass, with everything that happens in it.
    public func advance(byMilliseconds milliseconds: UInt64) async {
        await withCheckedContinuation { waiter in timeline.schedule(after: milliseconds) { waiter.resume() } }
        await settle()
    }

    /// Lets real time pass, with everything that happens in it.
    public func advance(bySeconds seconds: UInt64) async { await advance(byMilliseconds: seconds * 1000) }

    /// Lets time pass until a condition holds; it is looked at after everything that happens.
    ///
    /// - Throws: `Failure.timedOut` when it does not hold within that many seconds of real time.
    public func wait(forSeconds seconds: UInt64, until condition: () async throws -> Bool) async throws {
        let deadline = timeline.now + seconds * 1000
        // Time must not jump over the deadline.
        let mark = timeline.schedule(at: deadline) {}
        defer { timeline.cancel(mark) }
        await settle()
        while try await !condition() {
            guard timeline.now < deadline else { throw Failure.timedOut(milliseconds: seconds * 1000) }
            await withCheckedContinuation { waiter in state.withLock { $0.stepping.append(waiter) } }
        }
    }
}

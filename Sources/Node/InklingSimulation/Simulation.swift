public import InklingNode
public import InklingWire
internal import Synchronization

/// A simulated network of nodes for tests, without sockets, threads or real waiting.
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
/// **Time** stands still while a task can run, and then jumps to the next planned event, so that a simulated day takes
/// only as long as its events. **Runs are reproducible**: all tasks that start inside run on one executor, in the order
/// in which they become ready, and all randomness comes from the seed. Work outside that executor is neither awaited
/// nor reproducible: a `Task` created without `Simulation.start`, `Task.sleep`, threads, real sockets and files. The
/// order of sets and dictionaries is not reproducible either; it differs between processes.
public final class Simulation: Sendable {
    /// The reason why a simulation has failed.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A condition did not become true within this time.
        case timedOut(after: Duration)
        /// The body is still waiting, and no planned event can resume it.
        case stalled
        /// The body has not returned within its limit of simulated time.
        case overran(limit: Duration)

        /// The reason in words.
        public var description: String {
            switch self {
            case .timedOut(let time): "the condition did not become true in \(time)"
            case .stalled: "the body waits, and no planned event is left"
            case .overran(let limit): "the body has not returned after \(limit)"
            }
        }
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
    /// The air between the hosts that have a radio.
    public let air: SimulatedAir
    private let seed: UInt64
    private let start: UInt64
    private let executor = SimulationExecutor()
    private let timeline = Timeline()
    private let state = Mutex(State())

    private init(seed: UInt64, start: UInt64) {
        self.seed = seed
        self.start = start
        network = SimulatedNetwork(seed: seed, timeline: timeline)
        air = SimulatedAir(seed: seed, timeline: timeline)
    }

    /// Runs `body` in a new simulation, then stops the tasks it started.
    ///
    /// - Parameters:
    ///   - seed: the seed of all randomness.
    ///   - start: protocol time at the beginning, in Unix seconds; by default ten minutes before an epoch ends.
    ///   - limit: the maximum duration of `body` in seconds of simulated time.
    ///   - body: the body of the test.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`, or `Failure`.
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

    /// Runs every task that is ready. If none is, resumes the callers of `settle`, or else advances time.
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
                throw timeline.now < limit ? Failure.stalled : Failure.overran(limit: .milliseconds(limit))
            }
            state.withLock { state in
                state.settling += state.stepping
                state.stepping = []
            }
        }
    }

    // MARK: Hosts and tasks

    /// Adds a host to the network.
    ///
    /// - Parameters:
    ///   - clockError: how far the host's protocol time is ahead, in milliseconds; negative if it is behind.
    ///   - hasRadio: whether the host's ports contain its Bluetooth.
    ///   - profile: the profile of the application that runs on it.
    /// - Returns: the host.
    public func addHost(
        clockError: Int64 = 0, hasRadio: Bool = false, profile: ApplicationProfile = .inkling
    ) -> SimulatedHost {
        let right = start * 1000 + timeline.now
        let shown = clockError >= 0 ? right + clockError.magnitude : right - min(right, clockError.magnitude)
        let clock = SimulatedClock(timeline: timeline, unixMilliseconds: shown)
        let number = state.withLock { $0.hosts.count }
        let host = SimulatedHost(
            number: number, seed: seed, clock: clock, network: network, air: air, hasRadio: hasRadio,
            profile: profile)
        state.withLock { $0.hosts.append(host) }
        return host
    }

    /// Runs a node until it is stopped or the simulation ends.
    public func start(_ node: Node) { start { await node.run() } }

    /// Runs a task concurrently with the body; it is cancelled at the end of the simulation.
    public func start(_ operation: @escaping @Sendable () async -> Void) {
        state.withLock { $0.runningTasks += 1 }
        let task = Task(executorPreference: executor) {
            await operation()
            self.state.withLock { $0.runningTasks -= 1 }
        }
        state.withLock { $0.tasks.append(task) }
    }

    // MARK: Time

    /// The simulated milliseconds since the beginning.
    public var elapsed: UInt64 { timeline.now }

    /// Returns once no task can run before time passes.
    public func settle() async {
        await withCheckedContinuation { waiter in state.withLock { $0.settling.append(waiter) } }
    }

    /// Advances simulated time and runs everything that becomes due.
    public func advance(byMilliseconds milliseconds: UInt64) async {
        await withCheckedContinuation { waiter in timeline.schedule(after: milliseconds) { waiter.resume() } }
        await settle()
    }

    /// Advances simulated time and runs everything that becomes due.
    public func advance(bySeconds seconds: UInt64) async { await advance(byMilliseconds: seconds * 1000) }

    /// Advances simulated time until a condition is true; it is evaluated after every event.
    ///
    /// - Throws: `Failure.timedOut` if the condition is not true within this many simulated seconds.
    public func wait(forSeconds seconds: UInt64, until condition: () async throws -> Bool) async throws {
        let deadline = timeline.now + seconds * 1000
        // Time must not jump over the deadline.
        let mark = timeline.schedule(at: deadline) {}
        defer { timeline.cancel(mark) }
        await settle()
        while try await !condition() {
            guard timeline.now < deadline else { throw Failure.timedOut(after: .seconds(seconds)) }
            await withCheckedContinuation { waiter in state.withLock { $0.stepping.append(waiter) } }
        }
    }
}

internal import InklingEngine
public import InklingKeys
public import InklingNode
internal import Synchronization

/// The clocks of a simulated host; they run with the simulation and can be set, sped up and suspended.
public final class SimulatedClock: NodeClock {
    private struct State {
        var anchor: ClockReading
        var suspendedSince: UInt64?
        var suspended: UInt64 = 0
        /// What came due while the machine slept, in order.
        var held: [@Sendable () -> Void] = []
        var sleepers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<UInt64> = []
        var sleeperCount: UInt64 = 0
    }

    /// Where the monotonic clock of a machine stands when a simulation begins, so that no test counts on zero.
    private static let boot: UInt64 = 1_000_000
    private let timeline: Timeline
    private let state: Mutex<State>

    init(timeline: Timeline, unixMilliseconds: UInt64) {
        self.timeline = timeline
        let tick = Tick(milliseconds: timeline.now + Self.boot)
        state = Mutex(State(anchor: ClockReading(tick: tick, unixMilliseconds: unixMilliseconds)))
    }

    public func read() -> ClockReading {
        let tick = Tick(milliseconds: timeline.now + Self.boot)
        let anchor = state.withLock { $0.anchor }
        let passed = tick.milliseconds(since: anchor.tick) * UInt64(anchor.rate)
        return ClockReading(tick: tick, unixMilliseconds: anchor.unixMilliseconds + passed, rate: anchor.rate)
    }

    public func suspendedMilliseconds() -> UInt64 {
        let now = timeline.now
        return state.withLock { $0.suspended + ($0.suspendedSince.map { now - $0 } ?? 0) }
    }

    public func sleep(until tick: Tick) async throws {
        let number = state.withLock { state in
            state.sleeperCount += 1
            return state.sleeperCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.sleepers[number] = continuation
                    return false
                }
                guard !isCancelled else { return continuation.resume(throwing: CancellationError()) }
                schedule(at: tick) { [self] in
                    state.withLock { $0.sleepers.removeValue(forKey: number) }?.resume()
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.resume(throwing: CancellationError())
        }
    }

    /// Does something at a moment, or when the machine wakes up if it sleeps then.
    func schedule(at tick: Tick, _ action: @escaping @Sendable () -> Void) {
        let due = tick.milliseconds > Self.boot ? tick.milliseconds - Self.boot : 0
        timeline.schedule(at: due) { [self] in
            let isHeld = state.withLock { state in
                if state.suspendedSince != nil { state.held.append(action) }
                return state.suspendedSince != nil
            }
            if !isHeld { action() }
        }
    }

    // MARK: What a test does to a clock

    /// Sets protocol time, as a time server or a person does, and leaves the monotonic clock alone.
    public func set(unixMilliseconds: UInt64) {
        let now = read()
        state.withLock {
            $0.anchor = ClockReading(tick: now.tick, unixMilliseconds: unixMilliseconds, rate: now.rate)
        }
    }

    /// Sets protocol time forward (positive) or back by this many milliseconds.
    public func step(byMilliseconds step: Int64) {
        let now = read().unixMilliseconds
        set(unixMilliseconds: step >= 0 ? now + step.magnitude : now - min(now, step.magnitude))
    }

    /// Makes protocol time pass `rate` times as fast as simulated time from now on; at least 1.
    public func run(rate: UInt32) {
        let now = read()
        state.withLock {
            $0.anchor = ClockReading(tick: now.tick, unixMilliseconds: now.unixMilliseconds, rate: rate)
        }
    }

    /// Whether the host sleeps.
    public var isSuspended: Bool { state.withLock { $0.suspendedSince != nil } }

    /// Puts the host to sleep: no timer fires and nothing arrives, while its clocks continue.
    public func suspend() {
        let now = timeline.now
        state.withLock { if $0.suspendedSince == nil { $0.suspendedSince = now } }
    }

    /// Wakes the host; timers that came due meanwhile fire now.
    public func resume() {
        let now = timeline.now
        let held = state.withLock { state in
            guard let since = state.suspendedSince else { return [@Sendable () -> Void]() }
            state.suspendedSince = nil
            state.suspended += now - since
            defer { state.held = [] }
            return state.held
        }
        for action in held { action() }
    }
}

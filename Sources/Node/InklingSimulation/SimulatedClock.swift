internal import InklingEngine
public import InklingKeys
public import InklingNode
internal import Synchronization

/// The clocks of a simulated host. They follow simulated time, and can be set, accelerated and suspended.
public final class SimulatedClock: NodeClock {
    private struct State {
        var anchor: ClockReading
        /// The drift that the oscillator adds to protocol time, in parts per million; negative if it is slow.
        var drift: Int64 = 0
        var suspendedSince: UInt64?
        var suspended: UInt64 = 0
        /// Actions that came due while the host was asleep, in order.
        var held: [@Sendable () -> Void] = []
        var sleepers: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<UInt64> = []
        var sleeperCount: UInt64 = 0
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    /// A host's monotonic clock when the simulation begins, in milliseconds; not 0, so that no test relies on that.
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
        let (anchor, drift) = state.withLock { ($0.anchor, $0.drift) }
        let counted = tick.milliseconds(since: anchor.tick) * UInt64(anchor.rate)
        // A drift that would move time back before the anchor has no effect; drifts are far below 1,000,000.
        let passed = UInt64(max(Int64(clamping: counted) + Int64(clamping: counted) / 1000 * drift / 1000, 0))
        return ClockReading(tick: tick, unixMilliseconds: anchor.unixMilliseconds + passed, rate: anchor.rate)
    }

    public func suspendedMilliseconds() -> UInt64 {
        let now = timeline.now
        return state.withLock { $0.suspended + ($0.suspendedSince.map { now - $0 } ?? 0) }
    }

    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.listeners.append(continuation) }
        return stream
    }

    private func reportChange() { for listener in state.withLock({ $0.listeners }) { listener.yield() } }

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

    /// Runs an action at `tick`, or, if the host is asleep then, when it wakes.
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

    // MARK: Control by a test

    /// Sets protocol time, like a time server or a user. The monotonic clock is not affected.
    public func set(unixMilliseconds: UInt64) {
        let now = read()
        state.withLock {
            $0.anchor = ClockReading(tick: now.tick, unixMilliseconds: unixMilliseconds, rate: now.rate)
        }
        reportChange()
    }

    /// Moves protocol time by this many milliseconds, forward or, if negative, back.
    public func step(byMilliseconds step: Int64) {
        let now = read().unixMilliseconds
        set(unixMilliseconds: step >= 0 ? now + step.magnitude : now - min(now, step.magnitude))
    }

    /// Makes protocol time run `rate` times as fast as simulated time from now on. `rate` must be at least 1.
    public func run(rate: UInt32) {
        let now = read()
        state.withLock {
            $0.anchor = ClockReading(tick: now.tick, unixMilliseconds: now.unixMilliseconds, rate: rate)
        }
    }

    /// Makes protocol time gain this many parts per million from now on, unknown to the clock; negative to lose.
    public func drift(partsPerMillion: Int64) {
        let now = read()
        state.withLock {
            $0.anchor = now
            $0.drift = partsPerMillion
        }
    }

    /// Whether the host is asleep.
    public var isSuspended: Bool { state.withLock { $0.suspendedSince != nil } }

    /// Puts the host to sleep: its clocks continue, but no timer fires and nothing arrives.
    public func suspend() {
        let now = timeline.now
        state.withLock { if $0.suspendedSince == nil { $0.suspendedSince = now } }
    }

    /// Wakes the host. Timers that came due in the meantime fire now.
    public func resume() {
        let now = timeline.now
        let held = state.withLock { state in
            guard let since = state.suspendedSince else { return [@Sendable () -> Void]() }
            state.suspendedSince = nil
            state.suspended += now - since
            defer { state.held = [] }
            return state.held
        }
        reportChange()
        for action in held { action() }
    }
}

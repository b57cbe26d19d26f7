internal import InklingEngine
public import InklingKeys

/// The clocks of a node.
public protocol NodeClock: Sendable {
    /// Monotonic and protocol time, read together.
    func read() -> ClockReading
    /// For how many milliseconds the machine has slept since it started.
    func suspendedMilliseconds() -> UInt64
    /// Returns at `tick`, or throws `CancellationError` when the task is cancelled before.
    func sleep(until tick: Tick) async throws
}

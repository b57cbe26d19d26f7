public import InklingEngine

/// The clocks of a node.
public protocol NodeClock: Sendable {
    /// Monotonic and protocol time, read together.
    func read() -> ClockReading
    /// Returns at `tick`, or throws `CancellationError` when the task is cancelled before.
    func sleep(until tick: Tick) async throws
}

internal import InklingEngine
public import InklingKeys

/// The clocks of a node.
public protocol NodeClock: Sendable {
    /// Reads monotonic and protocol time together.
    func read() -> ClockReading
    /// Returns how long the machine has been suspended since boot, in milliseconds.
    func suspendedMilliseconds() -> UInt64
    /// Returns a stream with an element whenever the clock has been set or the machine has woken from sleep, within a
    /// second.
    func changes() -> AsyncStream<Void>
    /// Returns at `tick`; throws `CancellationError` if the task is cancelled before that.
    func sleep(until tick: Tick) async throws
}

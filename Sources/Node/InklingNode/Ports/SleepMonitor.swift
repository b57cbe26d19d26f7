/// An announcement that the machine is about to sleep, or has stopped doing so.
public enum SleepAnnouncement: Sendable {
    /// Sleep is near. The machine waits, for some seconds at most, until `isSilent` is called.
    case near(isSilent: @Sendable () async -> Void)
    /// The machine has woken, or does not sleep after all.
    case over
}

/// Tells a node that the machine is about to sleep, so that it is silent before (INK-ROT-017).
public protocol SleepMonitor: Sendable {
    /// Returns the announcements from now on, for a single consumer.
    func announcements() -> AsyncStream<SleepAnnouncement>
}

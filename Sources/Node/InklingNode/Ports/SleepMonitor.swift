/// An announcement that the machine is about to sleep, or no longer is.
public enum SleepAnnouncement: Sendable {
    /// Sleep is near. The machine waits, for some seconds at most, until `isSilent` is called.
    case near(isSilent: @Sendable () async -> Void)
    /// The machine has woken, or does not sleep after all.
    case over
}

/// A source of sleep announcements, so that a node is silent before the machine sleeps (INK-ROT-017).
public protocol SleepMonitor: Sendable {
    /// Returns the announcements from now on, for a single consumer.
    func announcements() -> AsyncStream<SleepAnnouncement>
}

/// The pause before reconnecting to a device.
struct ESPHomeWait: Hashable, Sendable {
    /// The first and the longest pause, in milliseconds; each failure doubles it.
    static let first: UInt64 = 5000, longest: UInt64 = 300_000
    /// The duration in milliseconds after which a lost connection resets the pause.
    static let lasting: UInt64 = 60_000

    private var wait = first

    /// Returns the pause in milliseconds after a connection that lasted `lasted` milliseconds.
    mutating func next(after lasted: UInt64) -> UInt64 {
        if lasted >= Self.lasting { wait = Self.first }
        defer { wait = min(wait * 2, Self.longest) }
        return wait
    }
}

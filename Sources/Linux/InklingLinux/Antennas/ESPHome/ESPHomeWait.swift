/// How long to wait before another connection to a device.
struct ESPHomeWait: Hashable, Sendable {
    /// The first and the longest wait, in milliseconds; each failure doubles it.
    static let first: UInt64 = 5000, longest: UInt64 = 300_000
    /// A connection that has lasted for so long, in milliseconds, is worth a quick return.
    static let lasting: UInt64 = 60_000

    private var wait = first

    /// Returns the wait, in milliseconds, after a connection that lasted for `lasted` milliseconds.
    mutating func next(after lasted: UInt64) -> UInt64 {
        if lasted >= Self.lasting { wait = Self.first }
        defer { wait = min(wait * 2, Self.longest) }
        return wait
    }
}

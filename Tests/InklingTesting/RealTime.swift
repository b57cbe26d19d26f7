public import Testing

extension Tag {
    /// A test whose verdict depends on real time, and so on the machine. The name of its suite ends in `RealTimeTests`; the
    /// gate skips it, and `make verify-links` runs it.
    @Tag public static var realTime: Self
}

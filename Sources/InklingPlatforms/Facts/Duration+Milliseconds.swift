extension Duration {
    /// Whole milliseconds, rounded towards zero; 0 for a negative duration, and the most that fits for a longer one.
    package var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        return overflow ? .max : product + UInt64(attoseconds) / 1_000_000_000_000_000
    }
}

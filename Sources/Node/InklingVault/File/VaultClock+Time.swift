extension VaultClock {
    /// Converts real time to protocol time, both in milliseconds since 1970-01-01T00:00:00Z; returns `UInt64.max` on
    /// overflow.
    public func protocolMilliseconds(atReal real: UInt64) -> UInt64 {
        switch self {
        case .real: return real
        case .accelerated(let rate, let anchor):
            let (passed, overflow) = (real > anchor ? real - anchor : 0).multipliedReportingOverflow(by: UInt64(rate))
            let (shown, isTooLate) = anchor.addingReportingOverflow(passed)
            return overflow || isTooLate ? .max : shown
        }
    }
}

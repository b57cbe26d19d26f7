import ArgumentParser

/// The duration of a scan: `10s`, `2m`, `1h`, or a number of seconds.
struct ScanDuration: ExpressibleByArgument, Hashable {
    /// The allowed durations in seconds: up to a day.
    static let allowed: ClosedRange<UInt64> = 1...86_400

    let seconds: UInt64

    /// Creates a duration in seconds.
    init(seconds: UInt64) { self.seconds = seconds }

    /// Parses a duration; nil for any other text and for one out of range.
    init?(argument: String) {
        let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600]
        let unit = argument.last.flatMap { units[$0] }
        let digits = unit == nil ? argument[...] : argument.dropLast()
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt64(digits) else {
            return nil
        }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow, Self.allowed.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    var defaultValueDescription: String { "\(seconds)s" }
}

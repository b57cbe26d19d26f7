import FoundationEssentials

/// A point in time as people write it.
struct Moment {
    let unixSeconds: UInt64

    static var now: Moment { Moment(unixSeconds: UInt64(max(0, Date.now.timeIntervalSince1970))) }

    private init(unixSeconds: UInt64) { self.unixSeconds = unixSeconds }

    /// Reads RFC 3339 in UTC or with an offset, or Unix seconds.
    init(_ text: String) throws(Failure) {
        if let seconds = UInt64(text) {
            self.init(unixSeconds: seconds)
        } else if let date = try? Date(text, strategy: .iso8601), date.timeIntervalSince1970 >= 0 {
            self.init(unixSeconds: UInt64(date.timeIntervalSince1970))
        } else {
            throw Failure(
                .usage, "invalid time '\(printable(text))'", remedy: "Write 2026-08-01T16:00:00Z or seconds since 1970."
            )
        }
    }
}

import FoundationEssentials
import InklingMatching

/// A time in an option.
struct Moment {
    let unixSeconds: UInt64

    static var now: Moment { Moment(unixSeconds: UInt64(max(0, Date.now.timeIntervalSince1970))) }

    private init(unixSeconds: UInt64) { self.unixSeconds = unixSeconds }

    /// Parses a time in the forms of `LogTime`; a fraction of a second is cut off.
    init(_ text: String) throws(Failure) {
        guard let milliseconds = LogTime.milliseconds(text) else {
            throw Failure(
                .usage, "invalid time '\(printable(text))'",
                remedy: "Write 2026-08-01T16:00:00Z, with Z or an offset, or seconds since 1970.")
        }
        unixSeconds = milliseconds / 1000
    }
}

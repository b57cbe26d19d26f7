import FoundationEssentials
import InklingEngine

/// A time that an option gives, in whole Unix seconds.
package struct Moment {
    package let unixSeconds: UInt64

    package static var now: Moment { Moment(unixSeconds: UInt64(max(0, Date.now.timeIntervalSince1970))) }

    private init(unixSeconds: UInt64) { self.unixSeconds = unixSeconds }

    /// Parses a time in the forms of `LogTime`, and drops the fraction of a second.
    ///
    /// - Throws: `Failure` when the text has another form.
    package init(_ text: String) throws(Failure) {
        guard let milliseconds = LogTime.milliseconds(text) else {
            throw Failure(
                .usage, "invalid time '\(printable(text))'",
                remedy: "Write 2026-08-01T16:00:00Z, with Z or an offset, or seconds since 1970.")
        }
        unixSeconds = milliseconds / 1000
    }
}

/// Parses times as they appear in logs (`Specs/matching.md`).
///
/// Two forms are accepted, from 1970 to August 2089:
/// - seconds since 1970-01-01T00:00:00Z as decimal digits, with or without a fraction: `1785600000`, `1785600000.25`;
/// - RFC 3339 with `T` or one space between date and time, with or without a fraction, in UTC or with an offset:
///   `2026-08-01T16:00:00Z`, `2026-08-01 16:00:00.25Z`, `2026-08-01T18:00:00+02:00`. The second may be 60.
///
/// A sign, an exponent, lower-case `t` or `z`, a time without an offset and an offset without a colon are rejected.
/// Fractions are truncated to milliseconds.
package enum LogTime {
    /// The first second that is rejected, in Unix seconds: the end of the last period of the tree.
    package static let limit: UInt64 = 3_774_873_600

    /// Returns the milliseconds since 1970-01-01T00:00:00Z of a time in either form; `nil` for anything else.
    package static func milliseconds(_ text: String) -> UInt64? {
        let bytes = Array(text.utf8)
        return milliseconds(seconds: bytes.span) ?? milliseconds(rfc3339: bytes.span)
    }

    /// Returns the milliseconds of a decimal number of seconds such as `1785600000.25`; `nil` for anything else and for
    /// a time from `limit` on.
    package static func milliseconds(seconds digits: Span<UInt8>) -> UInt64? {
        var place = 0
        guard let seconds = whole(digits, &place, atMost: 10), seconds < limit else { return nil }
        guard let fraction = fraction(digits, &place), place == digits.count else { return nil }
        return seconds * 1000 + fraction
    }

    /// Returns the milliseconds of a time such as `2026-08-01T16:00:00.25Z` or with an offset; `nil` for anything else.
    package static func milliseconds(rfc3339 text: Span<UInt8>) -> UInt64? {
        var place = 0
        guard let year = field(text, &place, 4), take(text, &place, UInt8(ascii: "-")),
            let month = field(text, &place, 2), (1...12).contains(month), take(text, &place, UInt8(ascii: "-")),
            let day = field(text, &place, 2), (1...daysOf(month, year)).contains(day),
            take(text, &place, UInt8(ascii: "T")) || take(text, &place, UInt8(ascii: " ")),
            let hours = field(text, &place, 2), hours < 24, take(text, &place, UInt8(ascii: ":")),
            let minutes = field(text, &place, 2), minutes < 60, take(text, &place, UInt8(ascii: ":")),
            // Second 60 becomes the first second of the next minute, as in Unix time.
            let seconds = field(text, &place, 2), seconds <= 60, let fraction = fraction(text, &place),
            let offset = offset(text, &place), place == text.count
        else { return nil }
        let unixSeconds = daysFromEpoch(year, month, day) * 86_400 + hours * 3600 + minutes * 60 + seconds - offset
        guard unixSeconds >= 0, unixSeconds < Int(limit) else { return nil }
        return UInt64(unixSeconds) * 1000 + fraction
    }

    private static func whole(_ text: Span<UInt8>, _ place: inout Int, atMost count: Int) -> UInt64? {
        let start = place
        var value: UInt64 = 0
        while place < text.count, let digit = digit(text[place]) {
            guard place - start < count else { return nil }
            value = value * 10 + UInt64(digit)
            place += 1
        }
        return place > start ? value : nil
    }

    /// Returns the milliseconds of a fraction; 0 without a fraction, `nil` for a point without digits.
    private static func fraction(_ text: Span<UInt8>, _ place: inout Int) -> UInt64? {
        guard take(text, &place, UInt8(ascii: ".")) else { return 0 }
        var value: UInt64 = 0
        var count = 0
        while place < text.count, let digit = digit(text[place]) {
            if count < 3 { value = value * 10 + UInt64(digit) }
            count += 1
            place += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<max(3, count) { value *= 10 }
        return value
    }

    private static func offset(_ text: Span<UInt8>, _ place: inout Int) -> Int? {
        if take(text, &place, UInt8(ascii: "Z")) { return 0 }
        let isEast = take(text, &place, UInt8(ascii: "+"))
        guard isEast || take(text, &place, UInt8(ascii: "-")), let hours = field(text, &place, 2), hours < 24,
            take(text, &place, UInt8(ascii: ":")), let minutes = field(text, &place, 2), minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isEast ? 1 : -1)
    }

    private static func field(_ text: Span<UInt8>, _ place: inout Int, _ count: Int) -> Int? {
        guard place + count <= text.count else { return nil }
        var value = 0
        for _ in 0..<count {
            guard let digit = digit(text[place]) else { return nil }
            value = value * 10 + Int(digit)
            place += 1
        }
        return value
    }

    private static func take(_ text: Span<UInt8>, _ place: inout Int, _ byte: UInt8) -> Bool {
        guard place < text.count, text[place] == byte else { return false }
        place += 1
        return true
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? byte - UInt8(ascii: "0") : nil
    }

    private static func daysOf(_ month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so that the leap day
    /// is the last day of its year.
    private static func daysFromEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

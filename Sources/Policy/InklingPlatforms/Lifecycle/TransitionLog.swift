public import InklingKeys

/// The latest transitions of an app with their times, for tests and for its user (`Specs/lifecycle.md`).
///
/// It contains no names, minors or contacts, because logs are kept for a long time.
public struct TransitionLog: Sendable {
    /// A kind of transition.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The process was launched.
        case launched
        /// The app came to the foreground.
        case foreground
        /// The app left the foreground.
        case background
        /// The system suspended the app.
        case suspended
        /// The system resumed the app.
        case resumed
        /// The system removed the app.
        case terminated
        /// The user removed the app.
        case forceQuit = "force-quit"
        /// The app crashed.
        case crashed
        /// The device restarted.
        case restarted
        /// The system restored the state of a manager.
        case restored
        /// A link was lost.
        case disconnected
        /// A peer is connected again; `took` is the duration of the steps.
        case reconnected
        /// A step of a reconnection did not end before the deadline.
        case overdue
        /// An execution window opened.
        case windowOpened = "window-opened"
        /// An execution window closed.
        case windowClosed = "window-closed"
        /// Records were flushed to disk.
        case flushed
        /// A marker was written.
        case marked
        /// A journal without a marker was found.
        case incomplete
        /// Bluetooth can be used.
        case radioOn = "radio-on"
        /// Bluetooth cannot be used.
        case radioOff = "radio-off"
        /// A beacon region was entered.
        case regionEntered = "region-entered"
        /// A beacon region was left.
        case regionLeft = "region-left"
        /// The user changed a permission.
        case permissionsChanged = "permissions-changed"
    }

    /// A transition with its time.
    public struct Entry: Hashable, Sendable {
        /// The time on the monotonic clock.
        public let tick: Tick
        /// Protocol time in milliseconds since 1970-01-01T00:00:00Z, by which logs of several devices can be compared.
        public let unixMilliseconds: UInt64
        /// The kind of transition.
        public let kind: Kind
        /// The duration of the transition, in milliseconds; nil for transitions without one.
        public let took: Duration?

        /// The entry as a line of the log: `2026-11-21T10:00:00.250Z reconnected 812 ms`.
        public var text: String {
            TransitionLog.timestamp(unixMilliseconds) + " \(kind.rawValue)"
                + (took.map { " \($0.wholeMilliseconds) ms" } ?? "")
        }
    }

    /// The entries, oldest first.
    public private(set) var entries: [Entry] = []
    /// The number of entries that were dropped to make room for newer ones.
    public private(set) var dropped: UInt64 = 0
    private let limit: Int

    /// Creates an empty log that holds at most `limit` entries, at least one.
    public init(limit: Int = 512) { self.limit = max(1, limit) }

    /// Adds a transition.
    public mutating func add(_ kind: Kind, at reading: ClockReading, took: Duration? = nil) {
        if entries.count >= limit {
            entries.removeFirst()
            dropped += 1
        }
        entries.append(
            Entry(tick: reading.tick, unixMilliseconds: reading.unixMilliseconds, kind: kind, took: took))
    }

    /// Returns the time from each `start` to the next `end` in milliseconds; a `start` without an `end` is omitted.
    public func durations(from start: Kind, to end: Kind) -> [Duration] {
        var durations: [Duration] = []
        var since: Tick?
        for entry in entries {
            if entry.kind == end, let start = since {
                durations.append(start.duration(to: entry.tick))
                since = nil
            } else if entry.kind == start, since == nil {
                since = entry.tick
            }
        }
        return durations
    }

    /// The log as text, one line for each entry.
    public var text: String { entries.map { $0.text + "\n" }.joined() }

    /// Returns a time as RFC 3339 in UTC, with milliseconds.
    static func timestamp(_ unixMilliseconds: UInt64) -> String {
        let days = unixMilliseconds / 86_400_000, rest = unixMilliseconds % 86_400_000
        // Counting from 0000-03-01 makes the leap day the last day of its year.
        let shifted = days + 719_468
        let era = shifted / 146_097, dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func digits(_ number: UInt64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { digits($0, 2) }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(clock.joined(separator: ":"))"
            + ".\(digits(rest % 1000, 3))Z"
    }
}

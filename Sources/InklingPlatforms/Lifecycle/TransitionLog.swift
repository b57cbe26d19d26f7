public import InklingKeys

/// The latest transitions of an app's life, with their times, for tests and for its own user (`Specs/lifecycle.md`).
///
/// It holds no name, no minor and no contact: what is kept longest tells least.
public struct TransitionLog: Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The process began.
        case launched
        /// The app came to the screen.
        case foreground
        /// The app left the screen.
        case background
        /// The system stopped it in memory.
        case suspended
        /// The system let it run on.
        case resumed
        /// The system removed it.
        case terminated
        /// Its user removed it.
        case forceQuit = "force-quit"
        /// It ended by a fault of its own.
        case crashed
        /// The device began anew.
        case restarted
        /// State was given back by the system.
        case restored
        /// A link was lost.
        case disconnected
        /// A link is useful again; `took` is how long that took.
        case reconnected
        /// A step of a reconnection did not end in time.
        case overdue
        /// A window of execution opened.
        case windowOpened = "window-opened"
        /// A window of execution closed.
        case windowClosed = "window-closed"
        /// Records were brought to disk.
        case flushed
        /// A marker was put behind them.
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
        /// The user changed what is permitted.
        case permissionsChanged = "permissions-changed"
    }

    /// One transition.
    public struct Entry: Hashable, Sendable {
        /// When, on the monotonic clock.
        public let tick: Tick
        /// Protocol time in milliseconds since 1970, to lay the log beside others.
        public let unixMilliseconds: UInt64
        /// What happened.
        public let kind: Kind
        /// Milliseconds that it took, where that means something.
        public let took: UInt64?

        /// `2026-11-21T10:00:00.250Z reconnected 812 ms`.
        public var text: String {
            TransitionLog.timestamp(unixMilliseconds) + " \(kind.rawValue)" + (took.map { " \($0) ms" } ?? "")
        }
    }

    /// The entries, oldest first.
    public private(set) var entries: [Entry] = []
    /// How many were dropped for newer ones.
    public private(set) var dropped: UInt64 = 0
    private let limit: Int

    /// An empty log of at most so many entries, at least one.
    public init(limit: Int = 512) { self.limit = max(1, limit) }

    /// Adds a transition.
    public mutating func add(_ kind: Kind, at reading: ClockReading, took: UInt64? = nil) {
        if entries.count >= limit {
            entries.removeFirst()
            dropped += 1
        }
        entries.append(
            Entry(tick: reading.tick, unixMilliseconds: reading.unixMilliseconds, kind: kind, took: took))
    }

    /// Milliseconds from each `start` to the next `end`; a start without an end gives nothing.
    public func durations(from start: Kind, to end: Kind) -> [UInt64] {
        var durations: [UInt64] = []
        var since: Tick?
        for entry in entries {
            if entry.kind == end, let start = since {
                durations.append(entry.tick.milliseconds(since: start))
                since = nil
            } else if entry.kind == start, since == nil {
                since = entry.tick
            }
        }
        return durations
    }

    /// One line for each entry.
    public var text: String { entries.map { $0.text + "\n" }.joined() }

    /// A moment in the form of RFC 3339, in UTC.
    static func timestamp(_ unixMilliseconds: UInt64) -> String {
        let days = unixMilliseconds / 86_400_000, rest = unixMilliseconds % 86_400_000
        // Days since 0000-03-01, so that the leap day is the last of its year.
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

internal import InklingKeys

/// How many calls to each contact this epoch has had over one technology: attempts of recognition, and reconnections of
/// its devices. Somebody who cuts links can cause no more calls than `limit`.
struct CallCounts: Sendable {
    /// How many calls to one contact an epoch may have.
    static let limit = 4

    private var epoch: Epoch?
    private var counts: [UserID: Int] = [:]

    /// Whether another call to a user may be made now.
    mutating func hasRoom(for user: UserID, at now: ClockReading) -> Bool {
        advance(to: now)
        return counts[user, default: 1] < Self.limit
    }

    /// Counts a call that reconnects a device.
    mutating func add(_ user: UserID, at now: ClockReading) {
        advance(to: now)
        counts[user, default: 1] += 1
    }

    /// Notes that recognition has made this many attempts in this epoch.
    mutating func note(_ attempts: Int, for user: UserID, at now: ClockReading) {
        advance(to: now)
        counts[user] = max(counts[user] ?? 0, attempts)
    }

    private mutating func advance(to now: ClockReading) {
        let current = Epoch(containing: now.unixSeconds)
        if epoch != current { (epoch, counts) = (current, [:]) }
    }
}

internal import InklingKeys

/// The counter of calls to each contact in an epoch over one technology: recognition attempts, and reconnections of its
/// devices. Someone who cuts links can cause no more calls than `limit`.
struct CallCounts: Sendable {
    /// The maximum number of calls to one contact in an epoch.
    static let limit = 4

    private var epoch: Epoch?
    private var counts: [UserID: Int] = [:]

    /// Returns whether another call to a user may be made now.
    mutating func hasRoom(for user: UserID, at now: ClockReading) -> Bool {
        advance(to: now)
        return counts[user, default: 1] < Self.limit
    }

    /// Counts a call that reconnects a device.
    mutating func add(_ user: UserID, at now: ClockReading) {
        advance(to: now)
        counts[user, default: 1] += 1
    }

    /// Records the number of recognition attempts in this epoch.
    mutating func note(_ attempts: Int, for user: UserID, at now: ClockReading) {
        advance(to: now)
        counts[user] = max(counts[user] ?? 0, attempts)
    }

    private mutating func advance(to now: ClockReading) {
        let current = Epoch(containing: now.unixSeconds)
        if epoch != current { (epoch, counts) = (current, [:]) }
    }
}

public import InklingKeys

/// The choice of a contact's room, from the power with which several antennas hear it (`Specs/antennas.md`).
///
/// The strongest antenna wins. To keep a contact between two rooms from flapping, another room must be stronger by a
/// margin, or the current room must have fallen silent.
public struct RoomChoice: Hashable, Sendable {
    /// The margin by which another room must be stronger, in dB.
    public static let margin = 6.0
    /// The weight of a new measurement in the smoothed power.
    public static let weight = 0.3
    /// The silence of a room after which another may replace it, in milliseconds.
    public static let silence: UInt64 = 30_000
    /// The silence after which the room is forgotten, in milliseconds.
    public static let memory: UInt64 = 120_000
    /// The maximum number of rooms per contact; one more replaces the room heard least recently.
    public static let limit = 64

    /// The power with which a contact is heard in a room.
    public struct Level: Hashable, Sendable {
        /// The smoothed power in dBm.
        public fileprivate(set) var power: Double
        /// The time at which the contact was last heard there.
        public fileprivate(set) var last: Tick
    }

    /// The rooms in which the contact was heard.
    public private(set) var levels: [String: Level] = [:]
    private var chosen: String?

    /// Creates a choice without a room.
    public init() {}

    /// Returns the contact's room; nil if no antenna in a room has heard it recently.
    public func room(at now: Tick) -> String? {
        guard let chosen, let level = levels[chosen], now.milliseconds(since: level.last) <= Self.memory else {
            return nil
        }
        return chosen
    }

    /// Adds the power, in dBm, with which a room heard the contact. Returns whether the contact's room has changed.
    @discardableResult
    public mutating func hear(in room: String, rssi: Int8, at now: Tick) -> Bool {
        let before = self.room(at: now)
        levels = levels.filter { now.milliseconds(since: $0.value.last) <= Self.memory }
        if levels[room] == nil, levels.count >= Self.limit,
            let oldest = levels.min(by: { ($0.value.last, $0.key) < ($1.value.last, $1.key) })?.key
        {
            levels[oldest] = nil
        }
        let power = levels[room].map { $0.power + Self.weight * (Double(rssi) - $0.power) } ?? Double(rssi)
        levels[room] = Level(power: power, last: max(now, levels[room]?.last ?? now))
        chosen = choose(instead: chosen, at: now)
        return chosen != before
    }

    private func choose(instead present: String?, at now: Tick) -> String? {
        let heard = levels.filter { now.milliseconds(since: $0.value.last) <= Self.silence }
        // Break ties by name, so that the order of events does not matter.
        let best = heard.max { ($0.value.power, $1.key) < ($1.value.power, $0.key) }
        guard let best, let present, let level = heard[present] else { return best?.key ?? present }
        return best.value.power >= level.power + Self.margin ? best.key : present
    }
}

public import InklingKeys

/// Decides in which room a contact is, from the power with which several antennas hear it (`Specs/antennas.md`).
///
/// The strongest antenna wins. So that a contact between two rooms does not go back and forth, another room must be
/// stronger by a margin, or the room must have fallen silent.
public struct RoomChoice: Hashable, Sendable {
    /// How much stronger another room must be, in dB.
    public static let margin = 6.0
    /// The weight of a new power in the smoothed one.
    public static let weight = 0.3
    /// After this silence another room takes the place of the present one, in milliseconds.
    public static let silence: UInt64 = 30_000
    /// After this silence the room is not known any more, in milliseconds.
    public static let memory: UInt64 = 120_000
    /// The most rooms of one contact; a further one replaces the one that was heard longest ago.
    public static let limit = 64

    /// The power with which a contact is heard in a room.
    public struct Level: Hashable, Sendable {
        /// The smoothed power in dBm.
        public fileprivate(set) var power: Double
        /// When it was heard last.
        public fileprivate(set) var last: Tick
    }

    /// The rooms in which the contact was heard.
    public private(set) var levels: [String: Level] = [:]
    private var chosen: String?

    /// Creates a choice without a room.
    public init() {}

    /// The room in which the contact is; nil if no antenna in a room has heard it recently.
    public func room(at now: Tick) -> String? {
        guard let chosen, let level = levels[chosen], now.milliseconds(since: level.last) <= Self.memory else {
            return nil
        }
        return chosen
    }

    /// Takes the power, in dBm, with which the contact was heard in a room. Returns whether the room has changed.
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
        // Of two equal rooms the first by name, so that the order of events does not matter.
        let best = heard.max { ($0.value.power, $1.key) < ($1.value.power, $0.key) }
        guard let best, let present, let level = heard[present] else { return best?.key ?? present }
        return best.value.power >= level.power + Self.margin ? best.key : present
    }
}

public import InklingEngine

/// What the observer concluded about the people of a simulated crowd, and what chance alone would give.
public struct CrowdReport: Hashable, Sendable {
    /// The stay of a contact near the observer.
    public struct Visit: Hashable, Sendable {
        /// The number of the contact, from 0.
        public let contact: Int
        /// The beginning and the end, in milliseconds since the beginning of the simulation.
        public let from: UInt64
        /// The end in milliseconds since the beginning of the simulation.
        public internal(set) var to: UInt64
        /// The milliseconds from its beginning to the first evidence, and to the confirmation by a handshake.
        public internal(set) var noticedAfter: UInt64?, confirmedAfter: UInt64?
    }

    /// A change of the state of a contact.
    public struct Change: Hashable, Sendable {
        /// The number of the contact, from 0.
        public let contact: Int
        /// The time in milliseconds since the beginning.
        public let at: UInt64
        /// The new state.
        public let state: PresenceState
    }

    /// The arrival of a contact, as the observer reports it.
    public struct Arrival: Hashable, Sendable {
        /// The number of the contact, from 0.
        public let contact: Int
        /// The time in milliseconds since the beginning.
        public let at: UInt64
    }

    /// An attempt at a handshake.
    public struct Try: Hashable, Sendable {
        /// The number of the contact, from 0.
        public let contact: Int
        /// The time in milliseconds since the beginning.
        public let at: UInt64
        /// Whether it was the contact's own device.
        public let isGenuine: Bool
    }

    /// Every stay of a contact, in the order of their beginnings.
    public internal(set) var visits: [Visit] = []
    /// Every change, in order.
    public internal(set) var changes: [Change] = []
    /// Every arrival, in order.
    public internal(set) var arrivals: [Arrival] = []
    /// Every attempt, in order.
    public internal(set) var tries: [Try] = []
    /// The number of strangers who were near at the end of each minute.
    public internal(set) var strangersNear: [Int] = []

    /// The number of sightings that were reported.
    public internal(set) var sightings = 0
    /// Minors of strangers and spoofers, each once for an address and an epoch; how many of them were a contact's; and
    /// how many chance makes so.
    public internal(set) var strangersMinors = 0, falseFriends = 0, falseFriendsExpected = 0.0
    /// Values shown again by replayers, within their time and after it; and notes of the engine about a wrong time.
    public internal(set) var replaysInTime = 0, replaysTooLate = 0, replaysNoticed = 0
    /// Notes of the engine that a value is shown by two at once.
    public internal(set) var contested = 0
    /// Handshakes that confirmed a contact who was absent: always 0, unless there is a fault.
    public internal(set) var falseConfirmations = 0
    /// Milliseconds in which an absent contact counted as present, the departure timer not counted.
    public internal(set) var falsePresence: UInt64 = 0
    /// Times that a contact became candidate or probable while absent, after its departure timer had run out.
    public internal(set) var falseHints = 0
    /// The most attempts in any minute.
    public internal(set) var triesInWorstMinute = 0

    /// Stays of at least a minute; shorter ones may go unnoticed.
    public var longVisits: [Visit] { visits.filter { $0.to - $0.from >= 60_000 } }
    /// Stays of at least a minute in which no handshake confirmed the contact.
    public var missed: Int { longVisits.count { $0.confirmedAfter == nil } }
    /// Attempts at a handshake with a device that was not the contact's.
    public var wastedTries: Int { tries.count { !$0.isGenuine } }

    /// The delay from the beginning of a stay to its confirmation, in milliseconds, that this part of the confirmed stays
    /// did not exceed; nil without any.
    public func delay(ofPart part: Double) -> UInt64? {
        let delays = longVisits.compactMap(\.confirmedAfter).sorted()
        guard !delays.isEmpty else { return nil }
        return delays[min(delays.count - 1, Int(Double(delays.count) * part))]
    }
}

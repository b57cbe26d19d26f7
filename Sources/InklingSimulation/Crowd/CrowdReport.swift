public import InklingEngine

/// What became of the people of a simulated crowd in the eyes of the observer, beside what chance would make of it.
public struct CrowdReport: Hashable, Sendable {
    /// The stay of a contact near the observer.
    public struct Visit: Hashable, Sendable {
        /// Whose stay, from 0.
        public let contact: Int
        /// From when to when, in milliseconds since the beginning.
        public let from: UInt64
        /// Until when, in milliseconds since the beginning.
        public internal(set) var to: UInt64
        /// How many milliseconds after its beginning something spoke for the contact, and a handshake confirmed it.
        public internal(set) var noticedAfter: UInt64?, confirmedAfter: UInt64?
    }

    /// A change of what the observer believes about a contact.
    public struct Change: Hashable, Sendable {
        /// Whose state, from 0.
        public let contact: Int
        /// When, in milliseconds since the beginning.
        public let at: UInt64
        /// The new state.
        public let state: PresenceState
    }

    /// The arrival of a contact, as the observer reports it.
    public struct Arrival: Hashable, Sendable {
        /// Whose, from 0.
        public let contact: Int
        /// When, in milliseconds since the beginning.
        public let at: UInt64
    }

    /// One try at a handshake.
    public struct Try: Hashable, Sendable {
        /// With whom, from 0.
        public let contact: Int
        /// When, in milliseconds since the beginning.
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
    /// Every try, in order.
    public internal(set) var tries: [Try] = []
    /// How many strangers were near at the end of each minute.
    public internal(set) var strangersNear: [Int] = []

    /// Sightings that were reported.
    public internal(set) var sightings = 0
    /// Minors of strangers and spoofers, each once for an address and an epoch; how many of them were a contact's; and
    /// how many chance makes so.
    public internal(set) var strangersMinors = 0, falseFriends = 0, falseFriendsExpected = 0.0
    /// Values shown again by replayers, within their time and after it; and notes of the engine about a wrong time.
    public internal(set) var replaysInTime = 0, replaysTooLate = 0, replaysNoticed = 0
    /// Notes of the engine that a value is shown by two at once.
    public internal(set) var contested = 0
    /// Handshakes that confirmed a contact who was not there: none, unless something is broken.
    public internal(set) var falseConfirmations = 0
    /// Milliseconds in which an absent contact counted as present, the departure timer not counted.
    public internal(set) var falsePresence: UInt64 = 0
    /// Times that a contact became candidate or probable while absent, after its departure timer had run out.
    public internal(set) var falseHints = 0
    /// The most tries in any minute.
    public internal(set) var triesInWorstMinute = 0

    /// Stays of at least a minute: shorter ones may well go unnoticed.
    public var longVisits: [Visit] { visits.filter { $0.to - $0.from >= 60_000 } }
    /// Stays of at least a minute in which no handshake confirmed the contact.
    public var missed: Int { longVisits.count { $0.confirmedAfter == nil } }
    /// Tries at a handshake with somebody else than the contact.
    public var wastedTries: Int { tries.count { !$0.isGenuine } }

    /// The delay from the beginning of a stay to its confirmation, in milliseconds, that this part of the confirmed stays
    /// did not exceed; nil without any.
    public func delay(ofPart part: Double) -> UInt64? {
        let delays = longVisits.compactMap(\.confirmedAfter).sorted()
        guard !delays.isEmpty else { return nil }
        return delays[min(delays.count - 1, Int(Double(delays.count) * part))]
    }
}

public import InklingEngine

/// The results of a simulated crowd: what the observer concluded, and the rates that chance alone would give.
public struct CrowdReport: Hashable, Sendable {
    /// A stay of a contact near the observer.
    public struct Visit: Hashable, Sendable {
        /// The number of the contact, from 0.
        public let contact: Int
        /// The beginning of the stay, in milliseconds since the simulation began.
        public let from: UInt64
        /// The end of the stay, in milliseconds since the simulation began.
        public internal(set) var to: UInt64
        /// The milliseconds from the beginning of the stay to the first evidence, and to the confirmation by a
        /// handshake.
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

    /// The arrival of a contact as reported by the engine.
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
        /// The technology of the attempt; each technology has its own budget.
        public let over: AttemptTechnology
        /// Whether the attempt reached the contact's own device, not a replayer.
        public let isGenuine: Bool
    }

    /// All stays of contacts, in the order of their beginnings.
    public internal(set) var visits: [Visit] = []
    /// All changes, in order.
    public internal(set) var changes: [Change] = []
    /// All arrivals, in order.
    public internal(set) var arrivals: [Arrival] = []
    /// All attempts, in order.
    public internal(set) var tries: [Try] = []
    /// The number of strangers near at the end of each minute.
    public internal(set) var strangersNear: [Int] = []

    /// The number of sightings that were reported.
    public internal(set) var sightings = 0
    /// The number of minors of strangers and spoofers, each counted once per address; how many of them equalled a
    /// contact's minor; and how many are expected to do so by chance.
    public internal(set) var strangersMinors = 0, falseFriends = 0, falseFriendsExpected = 0.0
    /// The number of replays inside their window and outside it, and how often the engine reported a value outside its
    /// window.
    public internal(set) var replaysInTime = 0, replaysTooLate = 0, replaysNoticed = 0
    /// The number of reports of the engine that two devices show the same value.
    public internal(set) var contested = 0
    /// The number of handshakes that confirmed an absent contact; anything but 0 is a fault.
    public internal(set) var falseConfirmations = 0
    /// The time for which absent contacts counted as present, beyond the departure timer, in milliseconds.
    public internal(set) var falsePresence: UInt64 = 0
    /// The number of times that an absent contact became candidate or probable after its departure timer had fired.
    public internal(set) var falseHints = 0
    /// The maximum number of attempts in any minute over one technology.
    public internal(set) var triesInWorstMinute = 0

    /// Stays of at least a minute; shorter ones may be missed.
    public var longVisits: [Visit] { visits.filter { $0.to - $0.from >= 60_000 } }
    /// The number of stays of at least a minute in which no handshake confirmed the contact.
    public var missed: Int { longVisits.count { $0.confirmedAfter == nil } }
    /// The number of attempts with a device that was not the contact's.
    public var wastedTries: Int { tries.count { !$0.isGenuine } }

    /// Returns the quantile `part`, from 0 to 1, of the time from the beginning of a stay of at least a minute to its
    /// confirmation, in milliseconds; nil if none was confirmed.
    public func delay(ofPart part: Double) -> UInt64? {
        let delays = longVisits.compactMap(\.confirmedAfter).sorted()
        guard !delays.isEmpty else { return nil }
        return delays[min(delays.count - 1, Int(Double(delays.count) * part))]
    }
}

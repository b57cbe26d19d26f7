public import InklingEngine

/// Who is in a simulated crowd, and how badly the world treats them. The same settings give the same crowd.
public struct CrowdSettings: Hashable, Sendable {
    /// Contacts of the observer, each with one device.
    public var contacts = 20
    /// Strangers' devices that run the same program.
    public var strangers = 200
    /// People who record what contacts show and show it again, within its time and after it.
    public var replayers = 0
    /// People who show minors and names drawn at random, one after the other.
    public var spoofers = 0
    /// How long it lasts.
    public var minutes = 240
    /// Decides everything that is left to chance.
    public var seed: UInt64 = 1
    /// Protocol time at the beginning, in Unix seconds; by default noon on 1 August 2026, UTC.
    public var start: UInt64 = 1_785_585_600
    /// The observer's timers, budgets and bounds.
    public var policy = RecognitionPolicy()

    /// Seconds that somebody is near, and away, on average.
    public var meanVisit = 1800.0, meanAbsence = 3600.0
    /// How many devices are phones, which sleep most of the time and show themselves in bursts.
    public var phones = 0.6
    /// How many contacts are on the observer's network; the others are heard by radio only.
    public var contactsOnNetwork = 0.5
    /// How far the clocks of others are off: most by at most this many seconds, some by up to three times as much.
    public var clockError = 60
    /// The probability that a packet is lost, comes twice, or is delivered late.
    public var loss = 0.2, duplication = 0.05, lateness = 0.02
    /// The longest delay of what is delivered late, in seconds.
    public var longestDelay = 40
    /// Random values a second that each spoofer shows.
    public var spoofedEachSecond = 1.0

    /// A middling crowd.
    public init() {}
}

/// What the observer's radio and network report, with what others would need to judge it for themselves.
public struct CrowdSighting: Hashable, Sendable {
    /// What was seen.
    public enum Value: Hashable, Sendable {
        /// A minor in an advertisement.
        case minor(UInt16)
        /// An instance name on the local network that appeared, or vanished.
        case name(String, isThere: Bool)
    }

    /// When it was reported, and when it was observed, in Unix milliseconds.
    public let reported: UInt64, observed: UInt64
    /// What was seen.
    public let value: Value
    /// The address of the device that showed it, 48 bits.
    public let address: UInt64
    /// The strength of the signal in dBm; nil on the local network.
    public let strength: Int?
}

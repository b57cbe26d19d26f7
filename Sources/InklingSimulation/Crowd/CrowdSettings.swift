public import InklingEngine

/// The settings of a simulated crowd. The same settings give the same crowd.
public struct CrowdSettings: Hashable, Sendable {
    /// The number of contacts of the observer, each with one device.
    public var contacts = 20
    /// The number of strangers' devices that run the same protocol.
    public var strangers = 200
    /// The number of replayers, who record what contacts show and show it again, within its time and after it.
    public var replayers = 0
    /// The number of spoofers, who show random minors and names.
    public var spoofers = 0
    /// The duration in minutes.
    public var minutes = 240
    /// The seed of all randomness.
    public var seed: UInt64 = 1
    /// Protocol time at the beginning, in Unix seconds; by default noon on 1 August 2026, UTC.
    public var start: UInt64 = 1_785_585_600
    /// The observer's timers, budgets and bounds.
    public var policy = RecognitionPolicy()

    /// The average seconds for which a person is near, and away.
    public var meanVisit = 1800.0, meanAbsence = 3600.0
    /// The share of devices that are phones, which sleep most of the time and show themselves in bursts.
    public var phones = 0.6
    /// The share of contacts on the observer's network; the others are heard by radio only.
    public var contactsOnNetwork = 0.5
    /// The error of the clocks of others in seconds: most are off by at most this, some by up to three times as much.
    public var clockError = 60
    /// The probability that a packet is lost, comes twice, or is delivered late.
    public var loss = 0.2, duplication = 0.05, lateness = 0.02
    /// The longest delay of what is delivered late, in seconds.
    public var longestDelay = 40
    /// Random values a second that each spoofer shows.
    public var spoofedEachSecond = 1.0

    /// Creates the settings of a crowd of medium size.
    public init() {}
}

/// A report of the observer's radio or network.
public struct CrowdSighting: Hashable, Sendable {
    /// What was observed.
    public enum Value: Hashable, Sendable {
        /// A minor in an advertisement.
        case minor(UInt16)
        /// An instance name on the local network that appeared, or vanished.
        case name(String, isThere: Bool)
    }

    /// The times of the report and of the observation, in Unix milliseconds.
    public let reported: UInt64, observed: UInt64
    /// What was observed.
    public let value: Value
    /// The address of the device that showed it, 48 bits.
    public let address: UInt64
    /// The RSSI in dBm; nil on the local network.
    public let rssi: Int?
}

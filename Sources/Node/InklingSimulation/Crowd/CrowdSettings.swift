public import InklingEngine

/// The settings of a simulated crowd. The same settings give the same crowd.
public struct CrowdSettings: Hashable, Sendable {
    /// The number of contacts of the observer, each with one device.
    public var contacts = 20
    /// The number of strangers' devices that run the same protocol.
    public var strangers = 200
    /// The number of replayers, which record the values of contacts and repeat them inside and outside their windows.
    public var replayers = 0
    /// The number of spoofers, which show random minors and names.
    public var spoofers = 0
    /// The duration in minutes.
    public var minutes = 240
    /// The seed of all randomness.
    public var seed: UInt64 = 1
    /// Protocol time at the beginning, in Unix seconds; by default noon on 1 August 2026, UTC.
    public var start: UInt64 = 1_785_585_600
    /// The observer's timers, budgets and bounds.
    public var policy = RecognitionPolicy()

    /// The mean times, in seconds, for which a person is near, and away.
    public var meanVisit = 1800.0, meanAbsence = 3600.0
    /// The share of devices that are phones, which sleep most of the time and advertise only while awake.
    public var phones = 0.6
    /// The share of contacts on the observer's network; the others are received over Bluetooth only.
    public var contactsOnNetwork = 0.5
    /// The maximum error of other devices' clocks in seconds; one device in ten has up to three times this error.
    public var clockError = 60
    /// The probability that a packet is lost, duplicated or delivered late.
    public var loss = 0.2, duplication = 0.05, lateness = 0.02
    /// The maximum delay of a late packet, in seconds.
    public var longestDelay = 40
    /// The number of random values that each spoofer shows in a second.
    public var spoofedEachSecond = 1.0

    /// Creates the settings of a medium-sized crowd.
    public init() {}
}

/// A report of the observer's radio or network.
public struct CrowdSighting: Hashable, Sendable {
    /// An observed value.
    public enum Value: Hashable, Sendable {
        /// A minor in an advertisement.
        case minor(UInt16)
        /// An instance name on the local network, which has appeared or vanished.
        case name(String, isThere: Bool)
    }

    /// The times of the report and of the observation, in Unix milliseconds.
    public let reported: UInt64, observed: UInt64
    /// The observed value.
    public let value: Value
    /// The address of the device that showed the value, 48 bits.
    public let address: UInt64
    /// The RSSI in dBm; nil on the local network.
    public let rssi: Int?
}

internal import InklingKeys

/// The subject of a fact, which is a question about an app on a device (`Specs/platforms.md`, subjects).
public enum ProfileSubject: String, Hashable, Sendable, CaseIterable {
    /// Whether the app advertises the service: `no`, `overflow` or `yes`.
    case advertise
    /// Whether the app shows a beacon.
    case beacon
    /// Whether advertisements are reported, and how late.
    case scan
    /// Whether one advertiser is reported repeatedly.
    case duplicates
    /// Whether advertisements are reported one by one, not many at once when the app wakes.
    case prompt
    /// Whether a service in the overflow area is found.
    case overflow
    /// The time for which reports continue.
    case callbacks
    /// The time for which reports pause while the app leaves the foreground.
    case gap
    /// Whether an entry into a region is reported, and how late.
    case enter
    /// Whether an exit from a region is reported, and how late.
    case exit
    /// Whether the app can range beacons: `no`, `window` or `yes`.
    case ranging
    /// Whether Bluetooth connections stay up.
    case links
    /// Whether a known peer is connected, and how late.
    case connect
    /// Whether the app is relaunched for Bluetooth events.
    case relaunch
    /// Whether advertising continues after a relaunch.
    case restartAdvertising = "restart-advertising"
    /// Whether the app is relaunched for regions.
    case regionRelaunch = "region-relaunch"
    /// Whether the app can find and offer services on a network.
    case find
    /// Whether network connections stay up.
    case networkLinks = "network-links"
    /// Whether the app can use Apple's direct link.
    case awdl
    /// Whether the app can use Wi-Fi Aware.
    case aware
    /// Whether the app can use Wi-Fi Direct.
    case direct
    /// The range of Multipeer Connectivity.
    case multipeer
    /// Whether users can show and scan a code, or let the devices touch.
    case exchange
    /// The range of Bluetooth.
    case bluetoothRange = "bluetooth-range"
    /// The range of Apple's direct link.
    case awdlRange = "awdl-range"
}

/// The value of a fact.
public enum ProfileValue: Hashable, Sendable {
    /// No, or not promised.
    case no
    /// Only in the overflow area.
    case overflow
    /// Only in an execution window.
    case window
    /// Yes, within a time between the best and the worst that sources report.
    case within(ClosedRange<Duration>)
    /// Yes, up to this number of metres.
    case metres(UInt64)
    /// Yes, without a figure.
    case yes

    /// Whether the value is anything but `no`.
    public var isPossible: Bool { self != .no }

    /// The worst time that sources report; nil for a value that is not a time.
    public var worst: Duration? { if case .within(let range) = self { range.upperBound } else { nil } }

    /// Creates a time from its best and worst value in milliseconds.
    static func milliseconds(_ best: Int, _ worst: Int) -> ProfileValue {
        .within(.milliseconds(best)...(.milliseconds(worst)))
    }

    /// Whether this value of a subject is worse than another one.
    func isWorse(than other: ProfileValue, for subject: ProfileSubject) -> Bool {
        switch (self, other) {
        case (.within(let time), .within(let otherTime)):
            // For the time that reports continue, shorter is worse; for every other subject, longer is.
            subject == .callbacks
                ? (time.upperBound, time.lowerBound) < (otherTime.upperBound, otherTime.lowerBound)
                : (time.upperBound, time.lowerBound) > (otherTime.upperBound, otherTime.lowerBound)
        case (.metres(let length), .metres(let otherLength)): length < otherLength
        default: rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .no: 0
        case .overflow: 1
        case .window: 2
        case .within: 3
        case .metres: 4
        case .yes: 5
        }
    }
}

extension ProfileValue: CustomStringConvertible {
    /// The value as the table of facts writes it: `no`, `30-100 ms`, `10 m`.
    public var description: String {
        switch self {
        case .no: "no"
        case .overflow: "overflow"
        case .window: "window"
        case .within(let range):
            "\(range.lowerBound.wholeMilliseconds)-\(range.upperBound.wholeMilliseconds) ms"
        case .metres(let length): "\(length) m"
        case .yes: "yes"
        }
    }
}

/// A condition of a fact besides the state of the app (`Specs/platforms.md`, needs).
public enum ProfileNeed: String, Hashable, Sendable, CaseIterable {
    /// The user allows Bluetooth, and it is switched on.
    case bluetooth
    /// The app declares the background mode `bluetooth-central`.
    case central
    /// The app declares the background mode `bluetooth-peripheral`.
    case peripheral
    /// The user allows location while the app is in use.
    case whenInUse = "when-in-use"
    /// The user allows location at all times.
    case always
    /// The user allows the local network, and Wi-Fi is on.
    case localNetwork = "local-network"
    /// Low power mode is on. Facts that need it only make a value worse.
    case lowPower = "low-power"
}

/// A source's statement about a subject, for some devices and some states of the app (`Specs/platforms.md`, facts).
public struct ProfileFact: Hashable, Sendable, Identifiable {
    public let id: String
    /// The devices to which it applies.
    public let rows: Set<ProfileRow>
    /// The states of the app in which it holds.
    public let states: Set<AppState>
    /// The needs that must be met for it to hold.
    public let needs: Set<ProfileNeed>
    /// The subject of the fact.
    public let subject: ProfileSubject
    /// The value of the subject.
    public let value: ProfileValue
    /// The source of the statement.
    public let source: FactSource
    /// The reliability of the statement.
    public let confidence: Confidence

    /// Creates a fact for use beside the known ones or instead of them.
    public init(
        _ id: String, _ rows: Set<ProfileRow>, _ states: Set<AppState>, needs: Set<ProfileNeed>,
        _ subject: ProfileSubject, _ value: ProfileValue, _ source: FactSource, _ confidence: Confidence
    ) {
        self.id = id
        self.rows = rows
        self.states = states
        self.needs = needs
        self.subject = subject
        self.value = value
        self.source = source
        self.confidence = confidence
    }
}

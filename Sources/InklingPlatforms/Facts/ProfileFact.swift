internal import InklingKeys

/// The subject of a fact (`Specs/platforms.md`, subjects).
public enum ProfileSubject: String, Hashable, Sendable, CaseIterable {
    /// Whether it advertises the service: `no`, `overflow` or `yes`.
    case advertise
    /// Whether it shows a beacon.
    case beacon
    /// Whether it reports advertisements, and how late.
    case scan
    /// Whether it reports an advertiser repeatedly.
    case duplicates
    /// Whether it reports advertisements one by one, and not many at once when it wakes.
    case prompt
    /// Whether it finds a service in the overflow area.
    case overflow
    /// The time for which reports continue.
    case callbacks
    /// The time without reports while the app leaves the foreground.
    case gap
    /// Whether an entry into a region is reported, and how late.
    case enter
    /// Whether an exit from a region is reported, and how late.
    case exit
    /// Whether it ranges beacons: `no`, `window` or `yes`.
    case ranging
    /// Whether Bluetooth connections stay up.
    case links
    /// Whether it connects to a known peer, and how late.
    case connect
    /// Whether it is relaunched for Bluetooth events.
    case relaunch
    /// Whether advertising continues after a relaunch.
    case restartAdvertising = "restart-advertising"
    /// Whether it is relaunched for regions.
    case regionRelaunch = "region-relaunch"
    /// Whether it finds and offers services on a network.
    case find
    /// Whether network connections stay up.
    case networkLinks = "network-links"
    /// Whether it can use Apple's direct link.
    case awdl
    /// Whether it can use Wi-Fi Aware.
    case aware
    /// Whether it can use Wi-Fi Direct.
    case direct
    /// The range of Multipeer Connectivity.
    case multipeer
    /// Whether it can show and scan a code, or be tapped.
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
    /// Advertised in the overflow area only.
    case overflow
    /// Only within an execution window.
    case window
    /// Yes, within a time, from the best to the worst that is reported.
    case within(ClosedRange<Duration>)
    /// Yes, as far as this number of metres.
    case metres(UInt64)
    /// Yes, without a figure.
    case yes

    /// Whether it is anything but `no`.
    public var isPossible: Bool { self != .no }

    /// The longest time that is reported; nil for what is not a time.
    public var worst: Duration? { if case .within(let range) = self { range.upperBound } else { nil } }

    /// A time in milliseconds, at best and at worst.
    static func milliseconds(_ best: Int, _ worst: Int) -> ProfileValue {
        .within(.milliseconds(best)...(.milliseconds(worst)))
    }

    /// Whether of two values of a subject this is the worse.
    func isWorse(than other: ProfileValue, for subject: ProfileSubject) -> Bool {
        switch (self, other) {
        case (.within(let time), .within(let otherTime)):
            // The shorter reports go on the worse; everything else is the worse the longer it takes.
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
    /// As in the table of facts: `no`, `30-100 ms`, `10 m`.
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
    /// Location is allowed while the app is used.
    case whenInUse = "when-in-use"
    /// Location is allowed always.
    case always
    /// The user allows the local network, and Wi-Fi is on.
    case localNetwork = "local-network"
    /// Low power mode is on; facts that need it only make a value worse.
    case lowPower = "low-power"
}

/// A statement about devices in some states, with its source (`Specs/platforms.md`, facts).
public struct ProfileFact: Hashable, Sendable, Identifiable {
    public let id: String
    /// The devices to which it applies.
    public let rows: Set<ProfileRow>
    /// The states of the app in which it holds.
    public let states: Set<AppState>
    /// The needs that must be met.
    public let needs: Set<ProfileNeed>
    /// The subject.
    public let subject: ProfileSubject
    /// The value.
    public let value: ProfileValue
    /// The source.
    public let source: FactSource
    /// How far the source can be relied on.
    public let confidence: Confidence

    /// Creates a fact to use beside or in place of the known ones.
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

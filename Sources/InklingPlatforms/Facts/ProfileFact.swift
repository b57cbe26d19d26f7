/// What a fact is about (`Specs/platforms.md`, subjects).
public enum ProfileSubject: String, Hashable, Sendable, CaseIterable {
    /// Whether it advertises the service: `no`, `overflow` or `yes`.
    case advertise
    /// Whether it shows a beacon.
    case beacon
    /// Whether it reports advertisements, and how late.
    case scan
    /// Whether it reports an advertiser again and again.
    case duplicates
    /// Whether it reports one by one, and not many at once on waking.
    case prompt
    /// Whether it finds a service in the overflow area.
    case overflow
    /// For how long reports go on.
    case callbacks
    /// How long nothing is reported while the app leaves the foreground.
    case gap
    /// Whether it is told of entering a region, and how late.
    case enter
    /// Whether it is told of leaving a region, and how late.
    case exit
    /// Whether it ranges beacons: `no`, `window` or `yes`.
    case ranging
    /// Whether Bluetooth connections stay.
    case links
    /// Whether it connects to a known peer, and how late.
    case connect
    /// Whether it is started again for Bluetooth events.
    case relaunch
    /// Whether advertising goes on after it was started again.
    case restartAdvertising = "restart-advertising"
    /// Whether it is started again for regions.
    case regionRelaunch = "region-relaunch"
    /// Whether it finds and offers services on a network.
    case find
    /// Whether network connections stay.
    case networkLinks = "network-links"
    /// Whether it can use Apple's direct link.
    case awdl
    /// Whether it can use Wi-Fi Aware.
    case aware
    /// Whether it can use Wi-Fi Direct.
    case direct
    /// How far Multipeer Connectivity reaches.
    case multipeer
    /// Whether it can show and scan a code, or be tapped.
    case exchange
}

/// What a fact says about its subject.
public enum ProfileValue: Hashable, Sendable {
    /// No, or not promised.
    case no
    /// Advertised in the overflow area only.
    case overflow
    /// Only within an execution window.
    case window
    /// Yes, within so many milliseconds, at best and at worst.
    case within(UInt64, UInt64)
    /// As far as so many metres.
    case metres(UInt64)
    /// Yes, without a figure.
    case yes

    /// Whether it says anything but no.
    public var isPossible: Bool { self != .no }

    /// The milliseconds at worst; nil for what is not a time.
    public var worst: UInt64? { if case .within(_, let worst) = self { worst } else { nil } }

    /// Whether of two values of a subject this is the worse.
    func isWorse(than other: ProfileValue, for subject: ProfileSubject) -> Bool {
        switch (self, other) {
        case (.within(let first, let last), .within(let otherFirst, let otherLast)):
            // Reports are the worse the shorter they go on; everything else is the worse the longer it takes.
            subject == .callbacks
                ? (last, first) < (otherLast, otherFirst) : (last, first) > (otherLast, otherFirst)
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
        case .within(let best, let worst): "\(best)-\(worst) ms"
        case .metres(let length): "\(length) m"
        case .yes: "yes"
        }
    }
}

/// What must hold for a fact besides the state of the app (`Specs/platforms.md`, needs).
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
    /// Low power mode is on, which only makes things worse.
    case lowPower = "low-power"
}

/// A statement about some devices in some states, with its source (`Specs/platforms.md`, facts).
public struct ProfileFact: Hashable, Sendable, Identifiable {
    public let id: String
    /// The devices about which it is.
    public let rows: Set<ProfileRow>
    /// The states of the app in which it holds.
    public let states: Set<AppState>
    /// What must hold besides.
    public let needs: Set<ProfileNeed>
    /// What it is about.
    public let subject: ProfileSubject
    /// What holds.
    public let value: ProfileValue
    /// Who says so.
    public let source: Source
    /// How far that can be relied on.
    public let confidence: Confidence

    /// A fact of one's own, beside the known ones.
    public init(
        _ id: String, _ rows: Set<ProfileRow>, _ states: Set<AppState>, needs: Set<ProfileNeed>,
        _ subject: ProfileSubject, _ value: ProfileValue, _ source: Source, _ confidence: Confidence
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

internal import InklingEngine
internal import InklingKeys

/// One device in the crowd that runs the program: whose it is, what it shows, and whether it is near.
struct CrowdDevice {
    enum Owner: Equatable {
        case contact(Int)
        case stranger
    }

    let owner: Owner
    /// Sleeps most of the time.
    let isPhone: Bool
    /// Whether its owner lets it on the local network.
    let isOnNetwork: Bool
    /// By how many milliseconds its clock is ahead.
    let clockError: Int64
    /// The keys of a contact; nil for strangers, whose values are not predicted.
    private let tree: SecretBox<AudienceTree>?
    var generator: SimulationGenerator

    var isNear = false
    /// Counts the stays, so that what was planned in one does not happen in another.
    var stay = 0
    var isAwake = false
    /// What it shows; nil in the gap around a boundary.
    private(set) var shown: (epoch: Epoch, name: OpaqueServiceName, minor: BeaconMinor)?
    private(set) var address: UInt64 = 0
    /// Whether the observer has been told of its name.
    var isNameReported = false
    /// Whether a session with the observer is open.
    var hasSession = false

    init(
        owner: Owner, isPhone: Bool, isOnNetwork: Bool, clockError: Int64, tree: SecretBox<AudienceTree>?,
        generator: SimulationGenerator
    ) {
        self.owner = owner
        self.isPhone = isPhone
        self.isOnNetwork = isOnNetwork
        self.clockError = clockError
        self.tree = tree
        self.generator = generator
    }

    /// The epoch by its own clock.
    func epoch(at unixMilliseconds: UInt64) -> Epoch? {
        Epoch(containing: UInt64(max(0, Int64(clamping: unixMilliseconds) + clockError)) / 1000)
    }

    /// When its own clock will show the next boundary, in the observer's Unix milliseconds.
    func boundary(after unixMilliseconds: UInt64) -> UInt64? {
        epoch(at: unixMilliseconds).map { UInt64(max(0, Int64($0.end * 1000) - clockError)) }
    }

    /// Whether it is this device that shows a value.
    func shows(_ value: Attempt.Value) -> Bool {
        switch value {
        case .name(let name): shown?.name == name
        case .minor(let minor, let address): shown?.minor == minor && self.address == address.value
        case .tag: false
        }
    }

    mutating func hide() { shown = nil }

    /// Shows the values of an epoch under a new address.
    mutating func show(_ epoch: Epoch) {
        address = UInt64.random(in: 0..<1 << 48, using: &generator)
        if let tree, let keys = tree.value.periodKey(epoch.period)?.deviceKeys(.first) {
            shown = (epoch, keys.mdns.serviceName(epoch), keys.beacon.minor(epoch))
        } else {
            let name = OpaqueServiceName(Octets16(high: generator.next(), low: generator.next()))
            shown = (epoch, name, BeaconMinor(UInt16.random(in: 0...UInt16.max, using: &generator)))
        }
    }
}

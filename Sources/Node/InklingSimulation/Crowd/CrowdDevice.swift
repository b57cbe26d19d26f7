internal import InklingEngine
internal import InklingKeys

/// A device in the crowd that runs the protocol.
struct CrowdDevice {
    enum Owner: Equatable {
        case contact(Int)
        case stranger
    }

    let owner: Owner
    /// Whether it is a phone, which sleeps most of the time.
    let isPhone: Bool
    /// Whether it is on the observer's local network.
    let isOnNetwork: Bool
    /// The lead of its clock, in milliseconds; negative if it is behind.
    let clockError: Int64
    /// The keys of a contact; nil for a stranger, whose values are random.
    private let tree: SecretBox<AudienceTree>?
    var generator: SimulationGenerator

    var isNear = false
    /// The number of the current stay, so that events planned for an earlier stay are ignored.
    var stay = 0
    var isAwake = false
    /// The values it shows; nil in the quiet period after a boundary.
    private(set) var shown: (epoch: Epoch, name: OpaqueServiceName, minor: BeaconMinor)?
    private(set) var address: UInt64 = 0
    /// Whether the observer has seen its current name.
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

    /// Returns the epoch by the device's own clock.
    func epoch(at unixMilliseconds: UInt64) -> Epoch? {
        Epoch(containing: UInt64(max(0, Int64(clamping: unixMilliseconds) + clockError)) / 1000)
    }

    /// Returns when the device's own clock reaches the next boundary, in the observer's Unix milliseconds.
    func boundary(after unixMilliseconds: UInt64) -> UInt64? {
        epoch(at: unixMilliseconds).map { UInt64(max(0, Int64($0.end * 1000) - clockError)) }
    }

    /// Returns whether this device shows the value of an attempt.
    func shows(_ value: Attempt.Value) -> Bool {
        switch value {
        case .name(let name): shown?.name == name
        case .minor(let minor, let address): shown?.minor == minor && self.address == address.value
        case .tag: false
        }
    }

    mutating func hide() { shown = nil }

    /// Starts to show the values of an epoch, under a new address.
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

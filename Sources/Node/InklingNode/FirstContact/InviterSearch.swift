internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// What was heard by radio of an inviter: the addresses that show a minor of the invitation.
///
/// The minor has 16 bits, and both minor and tag can be copied, so only the handshake tells the inviter. The addresses are
/// called one after the other, and each once.
struct InviterSearch: Sendable {
    /// The most addresses that are remembered, and that are called.
    static let addressLimit = 16, callLimit = 6
    /// How far apart, in milliseconds, two sightings of an address must be before it is called.
    private static let steadyAfter = RecognitionPolicy().steadyAfter.wholeMilliseconds

    /// Whether cards are being exchanged over a link that was found: one at a time.
    var isClaimed = false
    /// The tags of the invitation in the epochs of the search.
    let tags: Set<RecognitionTag>
    /// The minors of the invitation in these epochs.
    let minors: Set<BeaconMinor>
    private var heard: [DeviceAddress: (first: Tick, last: Tick)] = [:]
    private var called: Set<DeviceAddress> = []

    init(_ shown: [FirstContactNeeds.ShownByRadio]) {
        tags = Set(shown.map(\.tag))
        minors = Set(shown.map(\.minor))
    }

    mutating func hear(_ sighting: BeaconSighting, at now: Tick) {
        guard minors.contains(sighting.minor) else { return }
        if let known = heard[sighting.address] {
            heard[sighting.address] = (known.first, now)
        } else if heard.count < Self.addressLimit {
            heard[sighting.address] = (now, now)
        }
    }

    /// The steady address that was heard last, and was not called before.
    mutating func nextAddress(at now: Tick) -> DeviceAddress? {
        guard !isClaimed, called.count < Self.callLimit else { return nil }
        let next = heard.filter { address, moments in
            !called.contains(address) && moments.last.milliseconds(since: moments.first) >= Self.steadyAfter
        }.max { ($0.value.last, $0.key) < ($1.value.last, $1.key) }?.key
        if let next { called.insert(next) }
        return next
    }
}

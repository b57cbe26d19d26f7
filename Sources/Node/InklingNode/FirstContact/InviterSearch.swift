internal import InklingEngine
internal import InklingKeys
internal import InklingWire

/// The search for an inviter by radio: the addresses that show a minor of the invitation.
///
/// The minor has 16 bits, and minor and tag can be copied, so only the handshake identifies the inviter. The addresses
/// are called one after the other, each once.
struct InviterSearch: Sendable {
    /// The maximum numbers of addresses remembered and called.
    static let addressLimit = 16, callLimit = 6
    /// The time between two sightings of an address after which it may be called, in milliseconds.
    private static let steadyAfter = RecognitionPolicy().steadyAfter.wholeMilliseconds

    /// Whether cards are being exchanged over a link: one at a time.
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

    /// Returns the steady address heard most recently that has not been called.
    mutating func nextAddress(at now: Tick) -> DeviceAddress? {
        guard !isClaimed, called.count < Self.callLimit else { return nil }
        let next = heard.filter { address, moments in
            !called.contains(address) && moments.last.milliseconds(since: moments.first) >= Self.steadyAfter
        }.max { ($0.value.last, $0.key) < ($1.value.last, $1.key) }?.key
        if let next { called.insert(next) }
        return next
    }
}

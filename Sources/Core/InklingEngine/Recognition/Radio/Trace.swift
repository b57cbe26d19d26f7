internal import InklingKeys

/// The sightings of one minor that contacts are expected to show in one epoch (`Specs/recognition.md`).
struct Trace: Sendable {
    /// An address that showed the minor, and the moments between which it certainly did.
    struct Source: Sendable {
        let address: DeviceAddress
        var first: Tick, last: Tick
        var rssi: Int8

        /// Whether the address was heard twice, at least `milliseconds` apart.
        func isSteady(_ milliseconds: UInt64) -> Bool {
            last >= first && last.milliseconds(since: first) >= milliseconds
        }
    }

    /// The most addresses of one trace; a further one replaces the one that was heard longest ago.
    static let sourceLimit = 8

    let minor: BeaconMinor
    let epoch: Epoch
    /// The predictions of known contacts that the minor matches, at least one.
    var predictions: [Prediction]
    private(set) var sources: [Source] = []
    /// Whether two addresses showed the minor at the same time.
    private(set) var isContested = false
    /// The expected number of strangers when the minor was last heard.
    var strangers: UInt64 = 1

    init(_ minor: BeaconMinor, _ epoch: Epoch, _ predictions: [Prediction]) {
        self.minor = minor
        self.epoch = epoch
        self.predictions = predictions
    }

    var first: Tick { sources.map(\.first).min() ?? Tick(milliseconds: 0) }
    var last: Tick { sources.map(\.last).max() ?? Tick(milliseconds: 0) }

    /// Whether this contact is expected to show the minor in the trace's epoch.
    func mayBe(of contact: ContactID) -> Bool { predictions.contains { $0.contact == contact } }

    /// Whether no other contact is expected to show the minor in the trace's epoch.
    func isOwn(of contact: ContactID) -> Bool { predictions.allSatisfy { $0.contact == contact } }

    /// Adds a sighting. Returns true if this sighting makes the trace contested.
    mutating func hear(_ address: DeviceAddress, first: Tick, last: Tick, rssi: Int8) -> Bool {
        if let place = sources.firstIndex(where: { $0.address == address }) {
            sources[place].first = min(sources[place].first, first)
            sources[place].last = max(sources[place].last, last)
            sources[place].rssi = max(sources[place].rssi, rssi)
        } else {
            if sources.count >= Self.sourceLimit,
                let oldest = sources.indices.min(by: { sources[$0].last < sources[$1].last })
            {
                sources.remove(at: oldest)
            }
            sources.append(Source(address: address, first: first, last: last, rssi: rssi))
        }
        guard !isContested, let one = sources.first(where: { $0.address == address }) else { return false }
        isContested = sources.contains { other in
            other.address != address && one.first <= other.last && other.first <= one.last
        }
        return isContested
    }

    /// Removes the sightings of an address.
    mutating func forget(_ address: DeviceAddress) { sources.removeAll { $0.address == address } }
}

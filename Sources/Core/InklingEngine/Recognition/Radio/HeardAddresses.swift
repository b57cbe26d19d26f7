internal import InklingKeys

/// The addresses that the radio heard recently, up to a limit, and whether their values are believed.
struct HeardAddresses: Sendable {
    struct Entry: Sendable {
        let address: DeviceAddress
        /// The address was certainly heard between `first` and `last`; `last` is earlier if the times are too
        /// uncertain.
        var first: Tick, last: Tick
        /// The minors that it showed in `epoch`, at most `minorLimit`.
        var epoch: Epoch?
        var minors: [BeaconMinor] = []
        /// The minors among them that were reported as outside their window.
        var noted: Set<BeaconMinor> = []
        /// Whether the address showed a value that only a replay can show.
        var isDistrusted = false
        /// Whether it was heard by a radio that can connect to it.
        var isReachable = false
        /// The last minor, and whether it is known to be a stranger's.
        var shown: BeaconMinor?
        var isVoid = false
        /// The epoch of the observer in which the decoy decision was drawn for this address.
        var drawn: Epoch?
        /// Whether the address was heard again since `hand` last passed it.
        fileprivate var isReferenced = false

        /// Whether the address was heard twice, at least `milliseconds` apart.
        func isSteady(_ milliseconds: UInt64) -> Bool {
            last >= first && last.milliseconds(since: first) >= milliseconds
        }
    }

    /// The most different minors of one address in one epoch; an address that shows more is distrusted.
    static let minorLimit = 3

    private var entries: [Entry] = []
    private var places: [DeviceAddress: Int] = [:]
    // The hand of the clock algorithm, by which an entry is chosen for replacement.
    private var hand = 0

    var count: Int { entries.count }

    subscript(address: DeviceAddress) -> Entry? {
        get { places[address].map { entries[$0] } }
        set {
            guard let place = places[address], let newValue else { return }
            entries[place] = newValue
        }
    }

    /// Records that an address was heard. At the limit it replaces another one, preferably one that was heard only
    /// once, so that a flood of addresses displaces itself.
    mutating func hear(_ address: DeviceAddress, first: Tick, last: Tick, limit: Int) {
        if let place = places[address] {
            entries[place].first = min(entries[place].first, first)
            entries[place].last = max(entries[place].last, last)
            entries[place].isReferenced = true
            return
        }
        let entry = Entry(address: address, first: first, last: last)
        if entries.count < limit {
            places[address] = entries.count
            entries.append(entry)
            return
        }
        guard !entries.isEmpty else { return }
        // Ends in the second round at the latest, because the first one clears every flag.
        while entries[hand].isReferenced {
            entries[hand].isReferenced = false
            hand = (hand + 1) % entries.count
        }
        places[entries[hand].address] = nil
        places[address] = hand
        entries[hand] = entry
        hand = (hand + 1) % entries.count
    }
}

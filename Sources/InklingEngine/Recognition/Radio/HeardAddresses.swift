internal import InklingKeys

/// Who was heard by radio lately, and whether they are to be believed; so many at most.
struct HeardAddresses: Sendable {
    struct Entry: Sendable {
        let address: DeviceAddress
        /// Between these it was certainly heard; `last` is before `first` when all is uncertain.
        var first: Tick, last: Tick
        /// What it showed in `epoch`, at most `minorLimit`.
        var epoch: Epoch?
        var minors: [BeaconMinor] = []
        /// Which of them were noted as shown at a wrong time.
        var noted: Set<BeaconMinor> = []
        /// It showed what only a replay can show.
        var isDistrusted = false
        /// What it showed last, and whether a stranger was found behind that.
        var shown: BeaconMinor?
        var isVoid = false
        /// In which epoch of the observer it was drawn whether it serves as a decoy.
        var drawn: Epoch?
        /// Heard again since room was last needed.
        fileprivate var isReferenced = false

        /// Whether it was heard twice, at least `milliseconds` apart.
        func isSteady(_ milliseconds: UInt64) -> Bool {
            last >= first && last.milliseconds(since: first) >= milliseconds
        }
    }

    /// Different minors of one address in one epoch; more make it unbelievable.
    static let minorLimit = 3

    private var entries: [Entry] = []
    private var places: [DeviceAddress: Int] = [:]
    private var hand = 0

    var count: Int { entries.count }

    subscript(address: DeviceAddress) -> Entry? {
        get { places[address].map { entries[$0] } }
        set {
            guard let place = places[address], let newValue else { return }
            entries[place] = newValue
        }
    }

    /// Notes that an address was heard, and makes room for it if need be: whoever was heard once only goes first, so
    /// that a flood of addresses displaces itself.
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
        // Each is passed over once: the second round finds a place at the latest.
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

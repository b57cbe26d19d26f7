internal import InklingEngine
internal import InklingKeys

/// An index of the predictions for one period's four epochs, by name and by minor (`Specs/matching.md`).
struct PeriodIndex: Sendable {
    /// A prediction with a value that was looked up.
    struct Match {
        let contact: UInt32
        /// The epoch within the period, 0 to 3.
        let quarter: Int
        let device: DeviceIndex
    }

    private let names: NameIndex
    private let minors: MinorIndex
    // These three arrays are indexed by the ids from the indices. Names are kept whole, because the index compares only
    // part of a name, and names in a file may be chosen to collide.
    private let octets: [Octets16]
    private let owners: [UInt32]
    // Bits 0 to 3: the device. Bits 4 and 5: the epoch within the period.
    private let places: [UInt8]
    /// The number of distinct minors in each of the four epochs.
    let distinctMinors: [Int]

    var count: Int { owners.count }

    /// The memory use of the index in bytes, for a cache's size limit.
    var byteCount: Int { names.byteCount + minors.byteCount + 21 * owners.count }

    /// Creates the index of these entries, which must all belong to the period that begins with the epoch `first`.
    init(_ entries: some Collection<Forecast.Entry>, first: Epoch) {
        owners = entries.map(\.prediction.contact.rawValue)
        places = entries.map { entry in
            let quarter = UInt8(truncatingIfNeeded: entry.prediction.epoch.number &- first.number) & 3
            return quarter << 4 | entry.prediction.device.number
        }
        octets = entries.map(\.name.octets)
        names = NameIndex(octets)
        minors = MinorIndex(entries.map(\.minor.value))
        // One bit per epoch in which a minor occurs.
        var shown = [UInt8](repeating: 0, count: 1 << 16)
        for (entry, place) in zip(entries, places) { shown[Int(entry.minor.value)] |= 1 << (place >> 4) }
        distinctMinors = (0..<4).map { quarter in shown.count { $0 >> UInt8(quarter) & 1 == 1 } }
    }

    /// Calls `body` with the position of each of these names and with each prediction of it, in the order of the
    /// positions; faster than one look-up per name.
    func forEach(of wanted: Span<Octets16>, _ body: (Int, Match) -> Void) {
        names.forEach(of: wanted) { position, id in
            if octets[Int(id)] == wanted[position] { body(position, match(id)) }
        }
    }

    /// Calls `body` with the position of each of these minors and with each prediction of it, in the order of the
    /// positions.
    func forEach(of wanted: Span<UInt16>, _ body: (Int, Match) -> Void) {
        minors.forEach(of: wanted, { $0 }) { position, id in body(position, match(id)) }
    }

    private func match(_ id: UInt32) -> Match {
        let place = places[Int(id)]
        return Match(
            contact: owners[Int(id)], quarter: Int(place >> 4), device: DeviceIndex(place & 0x0f) ?? .first)
    }
}

internal import InklingEngine
internal import InklingKeys

/// An index of the predictions of the four epochs of one period, by name and by minor (`Specs/matching.md`).
struct PeriodIndex {
    private let names: NameIndex
    private let minors: MinorIndex
    // These three arrays are indexed by the ids that the indices return. Names are kept whole, because the index
    // compares only a part of a name, and names in a file may be chosen to collide.
    private let octets: [Octets16]
    private let owners: [UInt32]
    // Bits 0 to 3: the device. Bits 4 and 5: the epoch within the period.
    private let places: [UInt8]
    /// The number of different minors in each of the four epochs.
    let distinctMinors: [Int]

    var count: Int { owners.count }

    /// The memory of the index in bytes, for the size limit of a cache.
    var byteCount: Int { names.byteCount + minors.byteCount + 21 * owners.count }

    /// Creates the index of these entries, which must all belong to the period that begins with the epoch `first`.
    init(_ entries: [Forecast.Entry], first: Epoch) {
        owners = entries.map(\.prediction.contact.rawValue)
        places = entries.map { entry in
            let quarter = UInt8(truncatingIfNeeded: entry.prediction.epoch.number &- first.number) & 3
            return quarter << 4 | entry.prediction.device.number
        }
        octets = entries.map(\.name.octets)
        names = NameIndex(octets)
        minors = MinorIndex(entries.map(\.minor.value))
        // A bit for each of the four epochs in which a minor occurs.
        var shown = [UInt8](repeating: 0, count: 1 << 16)
        for (entry, place) in zip(entries, places) { shown[Int(entry.minor.value)] |= 1 << (place >> 4) }
        distinctMinors = (0..<4).map { quarter in shown.count { $0 >> UInt8(quarter) & 1 == 1 } }
    }

    /// Calls `body` with the contact, the epoch within the period (0 to 3) and the device of each prediction of this
    /// name.
    func forEach(of name: OpaqueServiceName, _ body: (UInt32, Int, DeviceIndex) -> Void) {
        names.forEach(of: name.octets) { if octets[Int($0)] == name.octets { yield($0, body) } }
    }

    /// Calls `body` with the contact, the epoch within the period (0 to 3) and the device of each prediction of this
    /// minor.
    func forEach(of minor: BeaconMinor, _ body: (UInt32, Int, DeviceIndex) -> Void) {
        minors.forEach(of: minor.value) { yield($0, body) }
    }

    private func yield(_ number: UInt32, _ body: (UInt32, Int, DeviceIndex) -> Void) {
        let place = places[Int(number)]
        body(owners[Int(number)], Int(place >> 4), DeviceIndex(place & 0x0f) ?? .first)
    }
}

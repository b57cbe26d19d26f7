internal import InklingEngine
internal import InklingKeys

/// The predictions of the four epochs of one hour, found by name or by minor (`Specs/matching.md`).
struct HourIndex {
    /// Bytes for each prediction, and for the hour, for the bounds of caches.
    static let bytesPerEntry = 40, fixedBytes = 65_537 * 4

    private var names: [Octets16] = []
    private var owners: [UInt32] = []
    // The epoch within the hour in bits 4 and 5, the device below.
    private var places: [UInt8] = []
    // Open addressing: one more than the number of an entry, or 0.
    private var slots: [UInt32] = []
    // Where the entries of each minor begin in `order`.
    private var starts: [UInt32] = []
    private var order: [UInt32] = []
    /// How many different minors each of the four epochs has.
    private(set) var distinctMinors = [0, 0, 0, 0]

    var count: Int { names.count }

    /// The index of these entries, all of the hour that begins with `first`.
    init(_ entries: [Forecast.Entry], first: Epoch) {
        names.reserveCapacity(entries.count)
        var minors: [UInt16] = []
        minors.reserveCapacity(entries.count)
        for entry in entries {
            names.append(entry.name.octets)
            owners.append(entry.prediction.contact.rawValue)
            let quarter = UInt8(truncatingIfNeeded: entry.prediction.epoch.number &- first.number) & 3
            places.append(quarter << 4 | entry.prediction.device.number)
            minors.append(entry.minor.value)
        }
        // At least twice as many places as entries keeps the runs short.
        var capacity = 4
        while capacity < 2 * entries.count { capacity *= 2 }
        slots = [UInt32](repeating: 0, count: capacity)
        for (number, name) in names.enumerated() {
            var slot = Self.slot(of: name, in: capacity)
            while slots[slot] != 0 { slot = (slot + 1) & (capacity - 1) }
            slots[slot] = UInt32(number + 1)
        }
        starts = [UInt32](repeating: 0, count: 65_537)
        for minor in minors { starts[Int(minor) + 1] += 1 }
        for minor in 0..<65_536 { starts[minor + 1] += starts[minor] }
        var next = starts
        order = [UInt32](repeating: 0, count: minors.count)
        for (number, minor) in minors.enumerated() {
            order[Int(next[Int(minor)])] = UInt32(number)
            next[Int(minor)] += 1
        }
        for quarter in 0..<4 {
            var seen: Set<UInt16> = []
            for (number, minor) in minors.enumerated() where Int(places[number] >> 4) == quarter { seen.insert(minor) }
            distinctMinors[quarter] = seen.count
        }
    }

    /// Hands on the owner, the quarter of the hour and the device of each prediction of this name.
    func forEach(of name: OpaqueServiceName, _ body: (UInt32, Int, DeviceIndex) -> Void) {
        let name = name.octets
        var slot = Self.slot(of: name, in: slots.count)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if names[number] == name { yield(number, body) }
            slot = (slot + 1) & (slots.count - 1)
        }
    }

    /// Hands on the owner, the quarter of the hour and the device of each prediction of this minor.
    func forEach(of minor: BeaconMinor, _ body: (UInt32, Int, DeviceIndex) -> Void) {
        let start = Int(starts[Int(minor.value)])
        let end = Int(starts[Int(minor.value) + 1])
        for place in start..<end { yield(Int(order[place]), body) }
    }

    private func yield(_ number: Int, _ body: (UInt32, Int, DeviceIndex) -> Void) {
        let place = places[number]
        body(owners[number], Int(place >> 4), DeviceIndex(place & 0x0f) ?? .first)
    }

    /// Names are uniform already: their own bits say where they belong.
    private static func slot(of name: Octets16, in capacity: Int) -> Int {
        Int(truncatingIfNeeded: name.low) & (capacity - 1)
    }
}

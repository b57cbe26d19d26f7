import CInterfacePeers
import Glibc
import InklingEngine
import InklingKeys

private let callCount = 1000
private let contactCount = 300
private let strangerCount = 256
private let hour: UInt32 = 496_000
private let tick: UInt64 = 5000
private let unixMilliseconds: UInt64 = 1_785_600_000_000 + 300_000

/// What a call through the C interface costs, against the same call in Swift.
func cInterfaceMeasures() -> [Measure] {
    guard let path = getenv("INKLING_C_LIBRARY").map({ String(cString: $0) }), c_interface_load(path) != 0 else {
        fail("the part c-interface needs the library: `make c-library`, and its path in INKLING_C_LIBRARY")
    }
    guard let epoch = Epoch(hour * 4), let period = Period(hour) else { return [] }
    let keys = exampleKeys()
    let root = Array(keys[..<32])
    let tree = SecretBox(AudienceTree(root: SecretBytes(copying: root.span)))
    guard let heldPeriodKey = tree.value.periodKey(period) else { fail("a tree without an hour") }
    let key = SecretBox(heldPeriodKey)
    let treeHandle = c_interface_tree(root)
    let keyHandle = c_interface_key(treeHandle, hour)
    let epochs = (0..<4).compactMap { Epoch(epoch.number + $0) }
    return [
        measure("no handle: the epoch of a moment", promise: .nanoseconds(atMost: 20)) {
            c_interface_epochs(unixMilliseconds / 1000, callCount)
        } swift: {
            var sum: UInt64 = 0
            for second in 0..<UInt64(callCount) {
                guard let epoch = Epoch(containing: opaque(unixMilliseconds / 1000 + second)) else { return .max }
                sum &+= UInt64(epoch.number)
            }
            return sum
        },
        measure("a handle: the hours of a tree", promise: .nanoseconds(atMost: 200)) {
            c_interface_periods(treeHandle, callCount)
        } swift: {
            var sum: UInt64 = 0
            for _ in 0..<callCount {
                guard let hours = tree.value.interval else { return .max }
                sum &+= UInt64(hours.lowerBound) + UInt64(hours.upperBound)
            }
            return sum
        },
        measure("a derivation: what a device shows, by the key of an hour") {
            c_interface_key_values(keyHandle, epoch.number, callCount)
        } swift: {
            (0..<callCount).reduce(0) { $0 &+ sum(of: key.value, epochs[$1 & 3]) }
        },
        measure("a derivation: what a device shows, by a tree of all hours") {
            c_interface_tree_values(treeHandle, epoch.number, callCount)
        } swift: {
            (0..<callCount).reduce(0) { total, index in
                guard let key = tree.value.periodKey(period) else { return .max }
                return total &+ sum(of: key, epochs[index & 3])
            }
        },
    ] + strangers(Array(keys[..<(32 * contactCount)]), epoch)
}

private func measure(
    _ name: String, batch: Int = callCount, promise: Promise? = nil, c: @escaping () -> UInt64,
    swift: @escaping () -> UInt64
) -> Measure {
    Measure(
        name: name, unit: "calls", batch: batch, promise: promise,
        contestants: [Contestant("libinkling.so.1", run: c), Contestant("the same in Swift", run: swift)])
}

/// Keeps the compiler from computing a loop beforehand.
@inline(never) private func opaque(_ value: UInt64) -> UInt64 { value }

/// All that the call in C writes, its texts included.
private func sum(of key: borrowing PeriodKey, _ epoch: Epoch) -> UInt64 {
    let keys = key.deviceKeys(.first)
    let name = keys.mdns.serviceName(epoch)
    let texts = name.description.utf8.count + keys.mdns.hostName(epoch).description.utf8.count
    guard texts == 64 else { return .max }
    return UInt64(keys.beacon.minor(epoch).value) + keys.gatt.tag(epoch).octets.high >> 56 + name.octets.high >> 56
}

/// What a crowd brings: minors and names of nobody we know, some of which were seen before.
private func strangers(_ roots: [UInt8], _ epoch: Epoch) -> [Measure] {
    let contacts = (0..<UInt32(contactCount)).map { number in
        let root = SecretBytes(copying: roots.span.extracting(32 * Int(number)..<32 * (Int(number) + 1)))
        return PredictedContact(
            ContactID(rawValue: number),
            grants: [HeldGrant(audience: .granted(1), devices: [.first], tree: SecretBox(AudienceTree(root: root)))])
    }
    let table = PredictedTable(of: contacts, around: epoch, withTags: true)
    let now = ClockReading(tick: Tick(milliseconds: tick), unixMilliseconds: unixMilliseconds)
    var generator = SplitMix(state: 7)
    func engine() -> RecognitionEngine {
        var engine = RecognitionEngine()
        var system = SystemRandomNumberGenerator()
        for contact in contacts { _ = engine.handle(.contactAdded(contact.contact), at: now, using: &system) }
        _ = engine.handle(.tableReplaced(table), at: now, using: &system)
        return engine
    }
    var minors: [UInt16] = []
    while minors.count < strangerCount {
        let minor = UInt16.random(in: 0...UInt16.max, using: &generator)
        var isKnown = false
        table.forEachPrediction(for: BeaconMinor(minor)) { _ in isKnown = true }
        if !isKnown { minors.append(minor) }
    }
    let names = (0..<strangerCount).map { _ in
        OpaqueServiceName(Octets16(high: generator.next(), low: generator.next()))
    }
    let labels = names.flatMap { $0.description.utf8.map { CChar(bitPattern: $0) } }
    let handle = c_interface_engine(roots, contactCount, epoch.number, tick, unixMilliseconds)
    let addresses = (0..<UInt64(strangerCount)).compactMap { DeviceAddress(0x100000 + $0) }
    var hearing = engine(), naming = engine()
    var system = SystemRandomNumberGenerator()

    func count(_ effects: [RecognitionEngine.Effect]) -> UInt64 {
        effects.reduce(0) { if case .wake = $1 { $0 } else { $0 + 1 } }
    }
    return [
        measure("recognition: a stranger's minor, \(contactCount) contacts", batch: strangerCount) {
            c_interface_minors(handle, minors, strangerCount, tick, unixMilliseconds)
        } swift: {
            var sum: UInt64 = 0
            for index in 0..<strangerCount {
                let sighting = BeaconSighting(
                    BeaconMinor(minors[index]), from: addresses[index], rssi: -60, observed: ObservedTime(at: now))
                sum += count(hearing.handle(.beaconHeard(sighting), at: now, using: &system))
            }
            return sum
        },
        measure("recognition: a stranger's name, \(contactCount) contacts", batch: strangerCount) {
            c_interface_names(handle, labels, strangerCount, tick, unixMilliseconds)
        } swift: {
            var sum: UInt64 = 0
            let bytes = labels.map { UInt8(bitPattern: $0) }
            for index in 0..<strangerCount {
                let label = bytes.span.extracting(32 * index..<32 * (index + 1))
                guard let name = OpaqueServiceName(parsing: label) else { return .max }
                sum += count(
                    naming.handle(.nameAppeared(name, observed: ObservedTime(at: now)), at: now, using: &system))
            }
            return sum
        },
    ]
}

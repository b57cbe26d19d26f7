import CAddressPeers
import CSodiumPeers
import CTablePeers
import InklingEngine
import InklingKeys
import InklingSimulation

/// How many look-ups a batch has.
private let queryCount = 1 << 16
private let million = 1_000_000

/// From what is seen to whose it is.
func tableMeasures() -> [Measure] {
    checkAddresses()
    return [1000, 100_000].flatMap(lookUps) + [stream()]
}

/// What the tables take in memory. That they take up to 40 bytes and not 21 was decided for speed
/// (`NameIndexShape.load`).
func tableFigures() -> [Figure] {
    [100, 1000, 10_000, 100_000, million].flatMap { count in
        let (predictions, keys) = TablePreparation(of: Crowd.contacts(count), around: Crowd.epoch(1)).table()
        let bytes = Double(predictions.byteCount) / Double(predictions.count)
        func figure(_ what: String, _ value: Double, _ promise: Promise? = nil) -> Figure {
            Figure(
                measure: "memory of the tables, \(count) contacts × 3 epochs", unit: "bytes for each prediction",
                contestant: what, value: .number(value), promise: promise?.kept(perSecond: value))
        }
        return [
            figure("names and minors", bytes, count >= 10_000 ? .value(atMost: 40) : nil),
            figure("besides: whose they are, once for all epochs", 16.0 / 3),
            figure(
                "besides: what is kept of an hour for the next epochs",
                Double(keys?.byteCount ?? 0) / Double(predictions.count)),
        ]
    }
}

private func lookUps(_ count: Int) -> [Measure] {
    let contacts = Crowd.contacts(count)
    let table = PredictedTable(of: contacts, around: Crowd.epoch(1))
    let names = Crowd.names(of: contacts)
    var generator = SplitMix(state: 1)
    let seen = (0..<queryCount).map { _ in Int.random(in: 0..<names.count, using: &generator) }
    let queries = seen.map { names[$0] }
    let labels = queries.flatMap { $0.description.utf8 }
    let dictionary = dictionary(names, contacts: count)
    let ownBits = Dictionary(uniqueKeysWithValues: dictionary.map { (OwnBits(name: $0), $1) })
    let asOwnBits = queries.map(OwnBits.init)
    let peer = TablePeer(names, contacts: count)
    return [
        Measure(
            name: "a name of 16 bytes to its contact, \(count) contacts × 3 epochs", unit: "names", batch: queryCount,
            contestants: [
                Contestant("PredictedTable, one after the other") {
                    var sum: UInt64 = 0
                    for name in queries { table.forEachPrediction(for: name) { sum &+= UInt64($0.contact.rawValue) } }
                    return sum
                }
            ]
                + of(peer) { peer in
                    [Contestant("a table of buckets in C, compared by AVX2", limit: 1.2) { peer.find(queries) }]
                } + [
                    Contestant("Dictionary, the name's own bits as hash", promise: 3) {
                        asOwnBits.reduce(0) { sum, name in sum &+ UInt64(ownBits[name] ?? 0) }
                    },
                    // From the dictionary it is a look-up; ours says device, audience and epoch as well.
                    Contestant("Dictionary<OpaqueServiceName, UInt32>", promise: count == 1000 ? 4 : 2) {
                        queries.reduce(0) { sum, name in sum &+ UInt64(dictionary[name] ?? 0) }
                    },
                    Contestant("PredictedTable, everything that a prediction says", isEquivalent: false) {
                        var sum: UInt64 = 0
                        for name in queries { table.forEachPrediction(for: name) { sum &+= total(of: $0) } }
                        return sum
                    },
                ] + addresses(count) + (count == 1000 ? [recomputation()] : [])),
        Measure(
            name: "names of 16 bytes to their contacts, all together, \(count) contacts × 3 epochs", unit: "names",
            batch: queryCount,
            contestants: [
                Contestant("PredictedTable") {
                    var sum: UInt64 = 0
                    table.forEachPrediction(for: queries.span) { sum &+= UInt64($1.contact.rawValue) }
                    return sum
                }
            ]
                + of(peer) { peer in
                    [Contestant("a table of buckets in C, prefetched") { peer.findPrefetched(queries) }]
                }),
        Measure(
            name: "a name of 32 digits to its contact, \(count) contacts × 3 epochs", unit: "names", batch: queryCount,
            contestants: [
                Contestant("PredictedTable") {
                    var sum: UInt64 = 0
                    for index in 0..<queryCount {
                        let label = labels.span.extracting(32 * index..<32 * (index + 1))
                        guard let name = OpaqueServiceName(parsing: label) else { continue }
                        table.forEachPrediction(for: name) { sum &+= UInt64($0.contact.rawValue) }
                    }
                    return sum
                },
                Contestant("Dictionary<OpaqueServiceName, UInt32>, parsed in the same way") {
                    var sum: UInt64 = 0
                    for index in 0..<queryCount {
                        let label = labels.span.extracting(32 * index..<32 * (index + 1))
                        guard let name = OpaqueServiceName(parsing: label) else { continue }
                        sum &+= UInt64(dictionary[name] ?? 0)
                    }
                    return sum
                },
            ]),
    ]
}

private func total(of prediction: Prediction) -> UInt64 {
    let audience: UInt64 = if case .granted(let id) = prediction.audience { id.value } else { 0 }
    return audience &+ UInt64(prediction.contact.rawValue) &+ UInt64(prediction.device.number)
        &+ UInt64(prediction.epoch.number)
}

/// Sightings of a crowd of which a tenth are contacts.
private func stream() -> Measure {
    let contacts = Crowd.contacts(million)
    let table = PredictedTable(of: contacts, around: Crowd.epoch(1))
    let names = Crowd.names(of: contacts)
    var generator = SplitMix(state: 2)
    let queries = (0..<million).map { _ in
        Int.random(in: 0..<10, using: &generator) == 0
            ? names[Int.random(in: 0..<names.count, using: &generator)]
            : OpaqueServiceName(Octets16(high: generator.next(), low: generator.next()))
    }
    let dictionary = dictionary(names, contacts: million)
    let peer = TablePeer(names, contacts: million)
    return Measure(
        name: "a stream of names of which a tenth are contacts', 1000000 contacts × 3 epochs", unit: "sightings",
        batch: million,
        contestants: [
            Contestant("PredictedTable, all together") {
                var sum: UInt64 = 0
                table.forEachPrediction(for: queries.span) { sum &+= UInt64($1.contact.rawValue) }
                return sum
            }
        ]
            + of(peer) { peer in
                [
                    Contestant("a table of buckets in C, prefetched", promise: 1.3) { peer.findPrefetched(queries) },
                    Contestant("a table of buckets in C, one after the other") { peer.find(queries) },
                ]
            } + [
                Contestant("PredictedTable, one after the other") {
                    var sum: UInt64 = 0
                    for name in queries { table.forEachPrediction(for: name) { sum &+= UInt64($0.contact.rawValue) } }
                    return sum
                },
                Contestant("Dictionary<OpaqueServiceName, UInt32>") {
                    queries.reduce(0) { sum, name in sum &+ UInt64(dictionary[name] ?? 0) }
                },
            ])
}

private func dictionary(_ names: [OpaqueServiceName], contacts: Int) -> [OpaqueServiceName: UInt32] {
    var dictionary: [OpaqueServiceName: UInt32] = [:]
    dictionary.reserveCapacity(names.count)
    for (index, name) in names.enumerated() { dictionary[name] = UInt32(index % contacts) }
    return dictionary
}

/// A key whose hash is a part of itself, as names are uniform already.
private struct OwnBits: Hashable {
    let name: OpaqueServiceName

    func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: name.octets.low) }
}

/// The table in C, where the processor has what it needs.
private struct TablePeer {
    private let table: OpaquePointer

    /// Creates the table; the owner of each name is its position, counted within the contacts.
    init?(_ names: [OpaqueServiceName], contacts: Int) {
        guard table_peer_available() else { return nil }
        let owners = names.indices.map { UInt32($0 % contacts) }
        table = Self.withNumbers(names) { table_peer_create($0, owners, names.count) }
    }

    func find(_ names: [OpaqueServiceName]) -> UInt64 {
        Self.withNumbers(names) { table_peer_find(table, $0, names.count) }
    }

    func findPrefetched(_ names: [OpaqueServiceName]) -> UInt64 {
        Self.withNumbers(names) { table_peer_find_prefetched(table, $0, names.count) }
    }

    // A name is stored as two numbers, the more significant first.
    private static func withNumbers<Result>(
        _ names: [OpaqueServiceName], _ body: (UnsafePointer<UInt64>) -> Result
    ) -> Result {
        names.withUnsafeBytes { bytes in
            guard let numbers = bytes.bindMemory(to: UInt64.self).baseAddress else { fail("no names") }
            return body(numbers)
        }
    }
}

private func of(_ peer: TablePeer?, _ contestants: (TablePeer) -> [Contestant]) -> [Contestant] {
    peer.map(contestants) ?? []
}

/// Bluetooth has no table: each key is tried, which costs the same as this for as many contacts.
private func addresses(_ count: Int) -> [Contestant] {
    guard address_peers_available() else { return [] }
    var generator = SplitMix(state: 3)
    let bytes = (0..<16 * count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let keys = bytes.withUnsafeBufferPointer { address_keys_prepare($0.baseAddress, count) }
    let seen = (0..<16).map { _ in
        let prand = UInt32.random(in: 0..<1 << 24, using: &generator)
        return (prand, address_hash(keys, Int.random(in: 0..<count, using: &generator), prand))
    }
    return [
        Contestant("Bluetooth addresses by AES-NI, 8 keys at a time", batch: seen.count, isEquivalent: false) {
            seen.reduce(0) { $0 &+ UInt64(address_resolve(keys, $1.0, $1.1)) }
        }
    ]
}

/// The sample data of the Bluetooth Core Specification, Vol 3, Part H, appendix D.7.
private func checkAddresses() {
    guard address_peers_available() else { return }
    let key: [UInt8] = [
        0xec, 0x02, 0x34, 0xa3, 0x57, 0xc8, 0xad, 0x05, 0x34, 0x10, 0x10, 0xa6, 0x0a, 0x39, 0x7d, 0x9b,
    ]
    let keys = key.withUnsafeBufferPointer { address_keys_prepare($0.baseAddress, 1) }
    guard address_hash(keys, 0, 0x708194) == 0x0dfbaa, address_resolve(keys, 0x708194, 0x0dfbaa) == 0,
        address_resolve(keys, 0x708194, 0x0dfbab) == 1
    else { fail("the resolver of Bluetooth addresses does not compute the sample data of its specification") }
}

/// What a sighting costs without a table and without prepared states: three epochs of 1,024 keys.
private func recomputation() -> Contestant {
    let count = 1024
    var generator = SplitMix(state: 4)
    let keys = (0..<32 * count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return Contestant("libsodium, 1,024 × 3 HMACs computed anew for a stranger", batch: 1, isEquivalent: false) {
        keys.withUnsafeBufferPointer { UInt64(peers_find($0.baseAddress, count, "mDNS-name-", quarter, 0)) }
    }
}

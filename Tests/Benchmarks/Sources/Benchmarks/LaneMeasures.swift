import CSodiumPeers
import InklingKeys

/// One message under many keys side by side, in every way that this processor has.
func laneMeasures() -> [Measure] {
    guard let epoch = Epoch(quarter), let message = LaneMessage({ $0 += Array("mDNS-name-\(quarter)".utf8) }) else {
        return []
    }
    let keys = exampleKeys()
    return LanePath.allCases.filter(\.isAvailable).map { path in
        var lanes = KeyLanes(count: keyCount)
        for index in 0..<keyCount { lanes.set(index, to: keys.span.extracting(32 * index..<32 * (index + 1))) }
        let states = StateBox(lanes.states(by: path))
        return Measure(
            name: "service names side by side, \(path)\(path == .best ? ", the best here" : "")", unit: "names",
            batch: keyCount,
            contestants: [
                Contestant(name: "InklingKeys, lanes") {
                    states.value.first16(message, by: path).reduce(0) { $0 ^ UInt64(bigEndian: $1.high) }
                }
            ] + sodiumPeers(keys, label: "mDNS-name-", epoch, cut: { $0 }))
    }
}

private final class StateBox {
    let value: StateLanes

    init(_ value: consuming StateLanes) { self.value = value }
}

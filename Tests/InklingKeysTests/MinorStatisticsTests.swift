import InklingKeys
import InklingTesting
import Testing

/// Minors as an observer without keys sees them: drawn from seeded roots, so that every run is the same.
///
/// `INKLING_STATISTICS=N` takes N times as many samples; `make statistics` does so in a release build.
@Suite struct `Statistics of minors` {
    private static let bins = 65_536

    @Test func `quick timing`() {
        var g = SeededGenerator(seed: 1)
        let c = ContinuousClock()
        let t = c.measure {
            var sum = 0
            for _ in 0..<1000 {
                let tree = AudienceTree(root: SecretBytes(count: 32, from: &g))
                guard let hour = Period(496_000), let period = tree.periodKey(hour) else { continue }
                for d in 0..<16 as Range<UInt8> {
                    let keys = period.deviceKeys(DeviceIndex(d) ?? .first)
                    for e in 0..<4 as Range<UInt32> { sum += Int(keys.beacon.minor(Epoch(1_984_000 + e) ?? hour.firstEpoch).value) }
                }
            }
            print(sum)
        }
        print("64000 minors", t)
        let t2 = c.measure {
            let key = EpochKey<BeaconUse>(SecretBytes(count: 32, from: &g))
            var sum = 0
            for e in 0..<100_000 as Range<UInt32> { sum += Int(key.minor(Epoch(1_984_000 + e) ?? .init(0)!).value) }
            print(sum)
        }
        print("100000 direct", t2)
    }
}

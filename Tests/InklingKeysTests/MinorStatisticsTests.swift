import InklingKeys
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Statistics of minors as an observer without keys sees them. The audiences are seeded, so that every run is the same.
///
/// `INKLING_STATISTICS=N` multiplies the number of samples by N; `make verify-figures` uses it in a release build.
@Suite struct `Statistics of minors` {
    private static let values = 65_536
    private static let audiences = 2048
    private static let firstPeriod: UInt32 = 496_000
    /// The number of periods to sample. In each, 2,048 audiences with 16 devices show 131,072 minors in four epochs.
    private static let periods: UInt32 = {
        let factor = unsafe getenv("INKLING_STATISTICS").flatMap { unsafe UInt32(String(cString: $0)) } ?? 1
        return 16 * max(1, min(factor, 1000))
    }()

    /// Calls `body` with the number of a period, a device index, and the minors that this device shows in each
    /// audience, as `[epoch][audience]`.
    private static func forEachDevice(
        ofRootsFrom seed: UInt64, periods: UInt32 = periods, devices: UInt8 = 16,
        _ body: (UInt32, UInt8, [[UInt16]]) -> Void
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let trees = (0..<audiences).map { _ in
            SecretBox(AudienceTree(root: SecretBytes(count: 32, from: &generator)))
        }
        for number in firstPeriod..<firstPeriod + periods {
            let period = try #require(Period(number))
            var nodes = NodeLanes(covering: period, capacity: audiences)
            for tree in trees { _ = nodes.append(tree.value) }
            let leaves = nodes.leaves()
            for device in 0..<devices {
                let lanes = DeviceLanes(DeviceIndex(device) ?? .first, of: leaves)
                let first = period.firstEpoch.number
                body(number, device, (first..<first + 4).compactMap { Epoch($0) }.map { lanes.minors($0).map(\.value) })
            }
        }
    }

    /// Returns Pearson's chi-squared statistic for a uniform distribution over all values. Its mean is 65,535 and its
    /// standard deviation is 362.
    private static func unevenness(_ counts: [Int]) -> Double {
        let expected = Double(counts.reduce(0, +)) / Double(counts.count)
        return counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
    }

    private static let even = 65_535.0 - 5 * 362...65_535.0 + 5 * 362

    /// Covers INK-ID-003.
    @Test func `millions of minors are distributed uniformly`() throws {
        var counts = [Int](repeating: 0, count: Self.values)
        try Self.forEachDevice(ofRootsFrom: 1) { _, _, epochs in
            for epoch in epochs {
                for minor in epoch { counts[Int(minor)] += 1 }
            }
        }
        let samples = counts.reduce(0, +)
        // The statistic must detect a distribution in which one value in a hundred never occurs.
        var biased = counts
        for value in stride(from: 100, to: Self.values, by: 100) {
            biased[value / 2] += counts[value]
            biased[value] = 0
        }
        #expect(samples == Self.audiences * 16 * 4 * Int(Self.periods))
        #expect(Self.even.contains(Self.unevenness(counts)), "\(Self.unevenness(counts)) in \(samples) samples")
        #expect(!Self.even.contains(Self.unevenness(biased)), "\(Self.unevenness(biased)) is not detected")
    }

    // Pairs of one byte of each minor, so that there are again 65,536 values.
    @Test func `minors of successive epochs, and of two devices, are independent`() throws {
        var successive = [Int](repeating: 0, count: Self.values)
        var neighbours = successive
        var before: [UInt8: [UInt16]] = [:]
        var lastDevice: [[UInt16]] = []
        try Self.forEachDevice(ofRootsFrom: 2, devices: 6) { _, device, epochs in
            for (earlier, later) in zip(
                [before[device]].compactMap { $0 } + epochs, epochs.dropFirst(before[device] == nil ? 1 : 0))
            {
                for (one, other) in zip(earlier, later) {
                    successive[Int(one & 0xff) << 8 | Int(other & 0xff)] += 1
                    successive[Int(one & 0xff00) | Int(other >> 8)] += 1
                }
            }
            if device > 0 {
                for (one, other) in zip(lastDevice, epochs).flatMap({ zip($0, $1).map { ($0, $1) } }) {
                    neighbours[Int(one & 0xff) << 8 | Int(other & 0xff)] += 1
                    neighbours[Int(one & 0xff00) | Int(other >> 8)] += 1
                }
            }
            before[device] = epochs.last
            lastDevice = epochs
        }
        #expect(successive.reduce(0, +) > 1_000_000)
        #expect(Self.even.contains(Self.unevenness(successive)), "\(Self.unevenness(successive))")
        #expect(Self.even.contains(Self.unevenness(neighbours)), "\(Self.unevenness(neighbours))")
    }

    // In 2^20 trials, chance alone gives 16 hits, with a standard deviation of 4.
    /// Covers INK-ID-003.
    @Test func `observers with a revoked grant, or with none, recognise no more than by chance`() throws {
        var shown: [[UInt8: [[UInt16]]]] = []
        try Self.forEachDevice(ofRootsFrom: 3, periods: 8) { number, device, epochs in
            if device == 0 { shown.append([:]) }
            shown[Int(number - Self.firstPeriod)][device] = epochs
        }
        // After a revocation, the audience has a new root that is independent of the old one, as are all other roots.
        for (what, seed) in [("revoked", UInt64(4)), ("ungranted", 5)] {
            var hits = 0
            var trials = 0
            try Self.forEachDevice(ofRootsFrom: seed, periods: 8) { number, device, epochs in
                let real = shown[Int(number - Self.firstPeriod)][device] ?? []
                for (mine, theirs) in zip(real, epochs) {
                    trials += mine.count
                    hits += mine.indices.count { mine[$0] == theirs[$0] }
                }
            }
            #expect(trials == 1 << 20)
            #expect((1...36).contains(hits), "\(what): \(hits) hits")
        }
        // With the grant itself, an observer recognises everything.
        var own = 0
        try Self.forEachDevice(ofRootsFrom: 3, periods: 1, devices: 1) { _, device, epochs in
            own = zip(shown[0][device] ?? [], epochs).count { $0 == $1 } * Self.audiences
        }
        #expect(own == Self.audiences * 4)
    }
}

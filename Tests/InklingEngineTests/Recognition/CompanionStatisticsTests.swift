import InklingKeys
import InklingTesting
import Testing

@testable import InklingEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// People who come and go: how many are near at any time, and how long they stay on average.
struct PassingCrowd: Sendable, CustomTestStringConvertible {
    let count: Int
    let meanSeconds: Double

    var testDescription: String { "\(count) people who stay \(meanSeconds) s" }

    /// Draws the length of a stay in seconds, at a constant rate of leaving.
    func stay(_ generator: inout SeededGenerator) -> Double {
        -meanSeconds * log(Double.random(in: Double.leastNormalMagnitude...1, using: &generator))
    }
}

/// The statistical strength of a verdict (`Specs/companions.md`).
@Suite struct CompanionStatisticsTests {
    private let first: Epoch

    init() throws { first = try #require(Epoch(1_984_000)) }

    /// Observes from some moment of the first of four epochs to the end of the last; half of the reports are lost.
    private func verdict(of crowd: PassingCrowd, hasCompanion: Bool, seed: UInt64) throws -> CompanionWatch.Verdict {
        var generator = SeededGenerator(seed: seed)
        let begin = first.start + UInt64.random(in: 0..<900, using: &generator)
        var watch = CompanionWatch(at: begin)
        var number: UInt64 = 0
        // The stays of the people who are there at the beginning of an epoch.
        var staying = (0..<crowd.count).map { _ in crowd.stay(&generator) }
        for epoch in 0..<4 as Range<UInt64> {
            let start = first.start + 900 * epoch
            for seconds in staying {
                number += 1
                // The silent gap, and the difference of clocks.
                let gap = Double.random(in: 0...12, using: &generator)
                try hear(number, from: gap, to: seconds, of: start, since: begin, in: &watch, &generator)
            }
            // People who come in the opening of the epoch; later ones are not followed.
            let arrivals = Double(crowd.count) / crowd.meanSeconds * Double(CompanionWatch.opening)
            for _ in 0..<Int(arrivals) {
                number += 1
                let arrival = Double.random(in: 0...Double(CompanionWatch.opening), using: &generator)
                let end = arrival + crowd.stay(&generator)
                try hear(number, from: arrival, to: end, of: start, since: begin, in: &watch, &generator)
            }
            if hasCompanion {
                number += 1
                let gap = Double.random(in: 0...12, using: &generator)
                try hear(number, from: gap, to: 900, of: start, since: begin, in: &watch, &generator)
            }
            staying = staying.map { $0 > 900 ? $0 - 900 : crowd.stay(&generator) }
        }
        watch.advance(to: first.start + 3600)
        return watch.verdict
    }

    /// Reports a beacon every ten seconds while it is there, each report with one chance in two.
    private func hear(
        _ number: UInt64, from arrival: Double, to end: Double, of start: UInt64, since begin: UInt64,
        in watch: inout CompanionWatch, _ generator: inout SeededGenerator
    ) throws {
        let beacon = CompanionWatch.Beacon(
            minor: BeaconMinor(UInt16(truncatingIfNeeded: number)), address: try #require(DeviceAddress(number)))
        var time = arrival + Double.random(in: 0..<10, using: &generator)
        while time < min(end, 900) {
            let moment = start + UInt64(time)
            if moment >= begin, Bool.random(using: &generator) { watch.heard(beacon, at: moment) { true } }
            time += 10
        }
    }

    private func share(
        _ wanted: CompanionWatch.Verdict, of crowd: PassingCrowd, hasCompanion: Bool, runs: UInt64
    ) throws -> Double {
        var found = 0
        for seed in 1...runs where try verdict(of: crowd, hasCompanion: hasCompanion, seed: seed) == wanted {
            found += 1
        }
        return Double(found) / Double(runs)
    }

    /// The first half of T-DULT-5 (`Specs/responsible-beacons.md`).
    @Test(arguments: [
        PassingCrowd(count: 0, meanSeconds: 60), PassingCrowd(count: 3, meanSeconds: 60),
        PassingCrowd(count: 40, meanSeconds: 60), PassingCrowd(count: 400, meanSeconds: 45),
    ])
    func `a beacon that travels along is found within four epochs, among people who pass`(crowd: PassingCrowd) throws {
        let found = try share(.companion, of: crowd, hasCompanion: true, runs: 100)
        #expect(found >= 0.95, "\(found)")
    }

    /// The second half of T-DULT-5.
    @Test(arguments: [
        PassingCrowd(count: 3, meanSeconds: 60), PassingCrowd(count: 400, meanSeconds: 45),
        PassingCrowd(count: 400, meanSeconds: 60), PassingCrowd(count: 400, meanSeconds: 300),
    ])
    func `a crowd of changing beacons is hardly ever taken for a companion`(crowd: PassingCrowd) throws {
        let found = try share(.companion, of: crowd, hasCompanion: false, runs: 200)
        #expect(found <= 0.01, "\(found)")
    }

    @Test func `where people stay nothing is claimed, with and without a companion`() throws {
        let neighbours = PassingCrowd(count: 10, meanSeconds: 1_000_000)
        for hasCompanion in [false, true] {
            #expect(try share(.unclear, of: neighbours, hasCompanion: hasCompanion, runs: 20) == 1)
        }
    }
}

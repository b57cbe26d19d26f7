import InklingKeys
import InklingTesting
import Testing

@testable import InklingEngine

@Suite struct CompanionWatchTests {
    private let start: UInt64
    private let epoch: Epoch

    init() throws {
        epoch = try #require(Epoch(1_984_000))
        start = epoch.start
    }

    private func beacon(_ number: UInt64) throws -> CompanionWatch.Beacon {
        CompanionWatch.Beacon(
            minor: BeaconMinor(UInt16(truncatingIfNeeded: number)), address: try #require(DeviceAddress(number)))
    }

    /// Reports a beacon every ten seconds over a time.
    private func stay(
        _ number: UInt64, from first: UInt64, to last: UInt64, in watch: inout CompanionWatch, isStranger: Bool = true
    ) throws {
        let beacon = try beacon(number)
        for time in stride(from: start + first, through: start + last, by: 10) {
            watch.heard(beacon, at: time) { isStranger }
        }
    }

    /// Covers INK-CMP-001, INK-CMP-004, INK-CMP-005.
    @Test func `a beacon that is there in three epochs in a row travels along`() throws {
        var watch = CompanionWatch(at: start + 75)
        for epoch in 0..<3 as Range<UInt64> {
            #expect(watch.verdict == .tooShort)
            try stay(epoch, from: 900 * epoch + 80, to: 900 * epoch + 895, in: &watch)
        }
        watch.advance(to: start + 2700)
        #expect(watch.verdict == .companion)
        #expect(watch.counts.map(\.stayed) == [1, 1, 1])
        #expect(watch.counts.map(\.epoch.number) == [1_984_000, 1_984_001, 1_984_002])
    }

    /// Covers INK-CMP-001.
    @Test func `an epoch that was observed in part does not count`() throws {
        var watch = CompanionWatch(at: start + 76)
        for epoch in 0..<3 as Range<UInt64> {
            try stay(epoch, from: 900 * epoch + 80, to: 900 * epoch + 895, in: &watch)
        }
        watch.advance(to: start + 2700)
        #expect(watch.verdict == .tooShort)
        // Nor does one through which the machine slept; the count starts again after it.
        try stay(3, from: 2710, to: 3590, in: &watch)
        #expect(watch.verdict == .tooShort)
        watch.advance(to: start + 3600)
        #expect(watch.verdict == .companion)
        var sleeper = CompanionWatch(at: start)
        for epoch in [0, 1, 3, 4] as [UInt64] {
            try stay(epoch, from: 900 * epoch, to: 900 * epoch + 890, in: &sleeper)
        }
        sleeper.advance(to: start + 4500)
        #expect(sleeper.verdict == .tooShort)
    }

    /// Covers INK-CMP-002.
    @Test func `own devices and contacts do not count, and each is asked about once`() throws {
        var watch = CompanionWatch(at: start)
        var asked = 0
        for epoch in 0..<3 as Range<UInt64> {
            let beacon = try beacon(epoch)
            for time in stride(from: 900 * epoch, to: 900 * epoch + 890, by: 10) {
                watch.heard(beacon, at: start + time) {
                    asked += 1
                    return false
                }
            }
        }
        watch.advance(to: start + 2700)
        #expect(watch.verdict == .none)
        #expect(watch.counts.map(\.opening) == [0, 0, 0])
        #expect(asked == 3)
    }

    /// Covers INK-CMP-002.
    @Test func `who comes later, and who is beyond the bound, is not followed`() throws {
        var watch = CompanionWatch(at: start)
        try stay(1, from: 151, to: 890, in: &watch)
        #expect(watch.present == 0)
        try stay(2, from: 150, to: 890, in: &watch)
        #expect(watch.present == 1)
        var full = CompanionWatch(at: start)
        for number in 0..<UInt64(CompanionWatch.limit + 10) { full.heard(try beacon(number), at: start) { true } }
        #expect(full.present == CompanionWatch.limit)
    }

    /// Covers INK-CMP-003, INK-CMP-004.
    @Test(arguments: [
        ([0, 120, 240, 300], [1, 0, 0]), ([0, 120, 240, 299], [0, 0, 0]), ([0, 181, 890], [0, 0, 0]),
        ([100, 220, 340, 460, 580, 600], [1, 1, 0]), ([100, 220, 340, 460, 580, 700, 749], [1, 1, 0]),
        ([100, 220, 340, 460, 580, 700, 750], [1, 1, 1]), ([100, 280, 461, 580, 700, 750], [0, 0, 0]),
    ])
    func `how long a beacon stayed is told by when it was heard`(times: [UInt64], counts: [Int]) throws {
        var watch = CompanionWatch(at: start)
        for time in times { watch.heard(try beacon(1), at: start + time) { true } }
        watch.advance(to: start + 900)
        let count = try #require(watch.counts.first)
        #expect(count.opening == 1)
        #expect([count.third, count.twoThirds, count.stayed] == counts)
    }

    /// Covers INK-CMP-005.
    @Test(
        arguments: [
            (others: [], .companion), ([895], .unclear), ([650], .unclear), ([650, 400, 400, 400], .companion),
            ([650, 400, 400], .unclear), ([100, 200, 290], .companion),
        ] as [(others: [UInt64], verdict: CompanionWatch.Verdict)])
    func `how long the others stay decides whether chance explains it`(
        others: [UInt64], verdict: CompanionWatch.Verdict
    ) throws {
        var watch = CompanionWatch(at: start)
        for epoch in 0..<3 as Range<UInt64> {
            try stay(100 * epoch, from: 900 * epoch, to: 900 * epoch + 895, in: &watch)
            // The others are there in the first epoch only, except the one that stays.
            guard epoch == 0 || others == [895] else { continue }
            for (place, last) in others.enumerated() {
                try stay(100 * epoch + UInt64(place) + 1, from: 900 * epoch, to: 900 * epoch + last, in: &watch)
            }
        }
        watch.advance(to: start + 2700)
        #expect(watch.verdict == verdict)
    }

    /// Covers INK-CMP-006.
    @Test func `what was found stays found`() throws {
        var watch = CompanionWatch(at: start)
        for epoch in 0..<3 as Range<UInt64> {
            try stay(epoch, from: 900 * epoch, to: 900 * epoch + 895, in: &watch)
        }
        watch.advance(to: start + 2700)
        let counts = watch.counts
        for epoch in 4...8 as ClosedRange<UInt64> { watch.advance(to: start + 900 * epoch) }
        #expect(watch.verdict == .companion)
        #expect(watch.counts == counts)
    }

    /// Covers INK-CMP-007.
    @Test func `nothing of a beacon is kept beyond its epoch`() throws {
        var watch = CompanionWatch(at: start)
        try stay(0xabcdef, from: 0, to: 895, in: &watch)
        try stay(0xfedcba, from: 0, to: 100, in: &watch, isStranger: false)
        #expect("\(watch)".contains("address:"))
        watch.advance(to: start + 900)
        #expect(!"\(watch)".contains("address:"))
    }
}

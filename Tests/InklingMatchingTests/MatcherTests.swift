import InklingEngine
import InklingKeys
import InklingMatching
import Synchronization
import Testing

@Suite struct `Matching sightings with predictions` {
    private static let zero: UInt32 = 1_984_000

    /// The values of the contact with this number, from which the number can be read.
    private static func entries(
        _ contact: UInt32, from: UInt32 = zero, to: UInt32 = zero + 3, minor: UInt16? = nil
    ) -> [Forecast.Entry] {
        (from...to).compactMap { Epoch($0) }.map { epoch in
            Forecast.Entry(
                prediction: Prediction(
                    contact: ContactID(rawValue: contact), device: .first, audience: .granted(0), epoch: epoch),
                name: name(contact, epoch.number),
                minor: BeaconMinor(minor ?? UInt16(contact * 100 + epoch.number % 100)))
        }
    }

    private static func name(_ contact: UInt32, _ epoch: UInt32) -> OpaqueServiceName {
        OpaqueServiceName(Octets16(high: UInt64(contact), low: UInt64(epoch)))
    }

    private static func sighting(
        _ milliseconds: UInt64, uncertainty: UInt64 = 0, name: OpaqueServiceName? = nil, minor: UInt16? = nil
    ) -> Sighting {
        Sighting(
            observed: ObservedTime(unixMilliseconds: milliseconds, uncertainty: .milliseconds(uncertainty)), name: name,
            minor: minor.map { BeaconMinor($0) })
    }

    private static func epochs(_ answer: [Matcher.Owner]) -> [UInt32] { answer.map(\.epoch.number) }

    private func answer(_ matcher: Matcher, _ sighting: Sighting) throws -> Matcher.Answer {
        try matcher.match(sighting)
    }

    /// Covers INK-MAT-010.
    @Test func `matches a value inside its window, to the millisecond`() throws {
        let matcher = Matcher(skew: .standard, entries: Self.entries(1))
        let start = UInt64(Self.zero + 1) * 900_000
        let shown = Self.name(1, Self.zero + 1)
        for (time, counts) in [
            (start - 120_001, false), (start - 120_000, true), (start, true), (start + 900_000, true),
            (start + 1_019_999, true), (start + 1_020_000, false),
        ] {
            let byName = try answer(matcher, Self.sighting(time, name: shown)).byName
            #expect(byName.map(\.contact) == (counts ? [1] : []), "\(time)")
        }
        let exact = Matcher(skew: try #require(SkewAllowance(seconds: 0)), entries: Self.entries(1))
        #expect(try answer(exact, Self.sighting(start - 1, name: shown)).byName.isEmpty)
        #expect(try !answer(exact, Self.sighting(start, name: shown)).byName.isEmpty)
        #expect(try answer(exact, Self.sighting(start + 900_000, name: shown)).byName.isEmpty)
    }

    /// Covers INK-MAT-010.
    @Test func `matches an uncertain observation in neighbouring epochs`() throws {
        let matcher = Matcher(
            skew: .standard, entries: Self.entries(1, from: Self.zero - 8, to: Self.zero + 8, minor: 7))
        let middle = UInt64(Self.zero) * 900_000 + 450_000
        #expect(try Self.epochs(answer(matcher, Self.sighting(middle, minor: 7)).byMinor) == [Self.zero])
        #expect(
            try Self.epochs(answer(matcher, Self.sighting(middle, uncertainty: 330_000, minor: 7)).byMinor)
                == [Self.zero, Self.zero + 1])
        #expect(
            try Self.epochs(answer(matcher, Self.sighting(middle, uncertainty: 3_600_000, minor: 7)).byMinor)
                == Array(Self.zero - 4...Self.zero + 4))
    }

    /// Covers INK-MAT-011.
    @Test func `returns every device that may have shown a value once, in order`() throws {
        let one = Self.entries(2, minor: 7)
        let entries = (one + one + Self.entries(1, minor: 7) + Self.entries(3, minor: 8)).sorted {
            $0.prediction.epoch < $1.prediction.epoch
        }
        let matcher = Matcher(skew: .standard, entries: entries)
        let boundary = UInt64(Self.zero + 1) * 900_000
        let answer = try answer(matcher, Self.sighting(boundary, name: Self.name(2, Self.zero), minor: 7))
        #expect(answer.byMinor.map(\.contact) == [1, 2, 1, 2])
        #expect(Self.epochs(answer.byMinor) == [Self.zero, Self.zero, Self.zero + 1, Self.zero + 1])
        #expect(answer.byName.map(\.contact) == [2])
        // At the boundary two epochs count, each with two different minors.
        #expect(abs(answer.byChance - 4 / 65_536) < 1e-9)
        #expect(answer.isCovered)
    }

    @Test func `matches no contact for a stranger, and reports a time without predictions`() throws {
        let matcher = Matcher(skew: .standard, entries: Self.entries(1))
        let inside = try answer(matcher, Self.sighting(UInt64(Self.zero) * 900_000, name: Self.name(9, 9), minor: 9))
        #expect(inside.byName.isEmpty && inside.byMinor.isEmpty && inside.isCovered)
        let outside = try answer(matcher, Self.sighting(UInt64(Self.zero + 40) * 900_000, minor: 1))
        #expect(!outside.isCovered)
        #expect(outside.byChance == 0)
        let empty = Matcher(skew: .standard, entries: [])
        #expect(try answer(empty, Self.sighting(0, name: Self.name(1, 1), minor: 0)).byMinor.isEmpty)
        let end = UInt64(Epoch.limit) * 900_000 - 1
        #expect(try answer(empty, Self.sighting(end, uncertainty: 3_600_000, minor: 0)).byMinor.isEmpty)
    }

    /// Covers INK-MAT-012.
    @Test func `returns the same answers in any order of sightings`() throws {
        let sightings = (0..<60).map { number in
            let epoch = Self.zero + UInt32(number * 7 % 24)
            return Self.sighting(UInt64(epoch) * 900_000 + 5000, name: Self.name(1, epoch), minor: UInt16(number))
        }
        func matcher() -> Matcher {
            Matcher(skew: .standard) { period in
                Self.entries(1, from: period.firstEpoch.number, to: period.firstEpoch.number + 3)
            }
        }
        let all = try matcher().match(sightings)
        #expect(try all == matcher().match(sightings.reversed()).reversed())
        let one = matcher()
        #expect(try all == sightings.map { try one.match($0) })
        #expect(all.allSatisfy { $0.byName.count == 1 })
    }

    /// Covers INK-MAT-017.
    @Test func `computes a period again if it was not used recently`() throws {
        // A period with four predictions takes 262,760 bytes.
        let computed = Mutex<[UInt32]>([])
        let matcher = Matcher(skew: .standard, cacheLimit: 10 * 262_760) { period in
            computed.withLock { $0.append(period.number) }
            return Self.entries(1, from: period.firstEpoch.number, to: period.firstEpoch.number + 3)
        }
        func match(in period: UInt32) throws {
            _ = try answer(matcher, Self.sighting((UInt64(period) * 3600 + 1800) * 1000, minor: 1))
        }
        for period in UInt32(496_000)..<496_030 { try match(in: period) }
        #expect(computed.withLock { $0 } == Array(496_000..<496_030))
        for period in UInt32(496_020)..<496_030 { try match(in: period) }
        #expect(computed.withLock { $0.count } == 30)
        try match(in: 496_000)
        #expect(computed.withLock { $0.last } == 496_000)
        #expect(computed.withLock { $0.count } == 31)
    }
}

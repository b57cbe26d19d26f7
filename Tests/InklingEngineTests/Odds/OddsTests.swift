import InklingEngine
import InklingKeys
import InklingTesting
import Testing

@Suite struct `Odds of minors` {
    // Contacts, devices, skew in seconds (450: all of both neighbours), then what was worked out by hand: the
    // predictions that count, the chance for one stranger, and false friends among 10, 50, 200 and 1,000.
    @Test(
        arguments: [
            (20, 1, 120, 25, 0.0004, [0.004, 0.02, 0.08, 0.39]), (150, 2, 120, 381, 0.0058, [0.06, 0.29, 1.16, 5.8]),
            (300, 2, 120, 762, 0.012, [0.12, 0.58, 2.3, 11.6]), (1000, 2, 120, 2540, 0.038, [0.38, 1.9, 7.6, 38]),
        ] as [(Int, Int, UInt64, Double, Double, [Double])])
    func `the figures are those of the table that was published`(
        contacts: Int, devices: Int, seconds: UInt64, entries: Double, chance: Double, friends: [Double]
    ) throws {
        let odds = Odds(values: contacts * devices, skew: try #require(SkewAllowance(seconds: seconds)))
        // The table rounds to two digits, and 1 + 240/900 to 1.27.
        #expect(abs(odds.entries / entries - 1) < 0.02)
        #expect(abs(odds.perStranger / chance - 1) < 0.05)
        for (strangers, expected) in zip([10, 50, 200, 1000], friends) {
            #expect(abs(odds.falseFriends(among: strangers) / expected - 1) < 0.05)
        }
    }

    @Test(arguments: [(100, 0.07), (300, 0.50), (600, 0.94)])
    func `two values of one epoch are equal as often as birthdays are`(values: Int, chance: Double) {
        #expect(abs(Odds(values: values).anyCollision - chance) < 0.006)
    }

    @Test func `nobody to expect and nobody to meet make no false friends`() {
        #expect(Odds(values: 0).perStranger == 0)
        #expect(Odds(values: -3).values == 0)
        #expect(Odds(values: 0).anyCollision == 0)
        #expect(Odds(values: 1).anyCollision == 0)
        #expect(Odds(values: 0).collidingPairs == 0)
        #expect(Odds(values: 600).falseFriends(among: 0) == 0)
        #expect(Odds(values: 600).anyFalseFriend(among: 0) == 0)
        #expect(Odds(values: 65_537).anyCollision == 1)
        #expect(Odds(values: .max).values == Odds.valueLimit)
    }

    @Test func `many chances add up to certainty and never beyond`() {
        let odds = Odds(values: 600)
        #expect(odds.anyFalseFriend(among: 10) < odds.falseFriends(among: 10))
        #expect(odds.anyFalseFriend(among: 10, epochs: 96) > odds.anyFalseFriend(among: 10))
        #expect((0.999...1.0).contains(odds.anyFalseFriend(among: 1000)))
        #expect((0.999...1.0).contains(Odds(values: Odds.valueLimit).perStranger))
    }

    // Readers and strangers drawn at random; a boundary meets everybody who comes within τ of it.
    @Test(arguments: [(40, 50, UInt64(1)), (600, 10, 2), (2000, 200, 3)])
    func `a simulated crowd has as many false friends as the formula says`(
        values: Int, strangers: Int, seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let odds = Odds(values: values)
        let rounds = 400_000 / values
        var friends = 0
        for _ in 0..<rounds {
            var counts = [Bool](repeating: false, count: Odds.minors)
            // At a random second of the epoch a neighbour's values count too, or they do not.
            let second = UInt64.random(in: 0..<900, using: &generator)
            let isNearBoundary = second < 120 || second >= 780
            for _ in 0..<values * (isNearBoundary ? 2 : 1) {
                counts[Int(UInt16.random(in: 0...UInt16.max, using: &generator))] = true
            }
            for _ in 0..<strangers where counts[Int(UInt16.random(in: 0...UInt16.max, using: &generator))] {
                friends += 1
            }
        }
        let expected = odds.falseFriends(among: strangers) * Double(rounds)
        // Five deviations of a count, and what a round's own table adds to it.
        #expect(abs(Double(friends) - expected) < 5 * (expected * 1.3).squareRoot() + 0.02 * expected, "\(friends)")
    }
}

import InklingEngine
import InklingKeys
import InklingTesting
import Testing

@Suite struct `Odds of minors` {
    // Contacts, devices, skew in seconds (450 covers all of both neighbours), and then values computed by hand: the
    // predictions that count, the chance for one stranger, and false friends among 10, 50, 200 and 1,000.
    @Test(
        arguments: [
            (20, 1, 120, 25, 0.0004, [0.004, 0.02, 0.08, 0.39]), (150, 2, 120, 381, 0.0058, [0.06, 0.29, 1.16, 5.8]),
            (300, 2, 120, 762, 0.012, [0.12, 0.58, 2.3, 11.6]), (1000, 2, 120, 2540, 0.038, [0.38, 1.9, 7.6, 38]),
        ] as [(Int, Int, UInt64, Double, Double, [Double])])
    func `the figures agree with the published table`(
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
    func `the probability of equal values is that of the birthday problem`(values: Int, chance: Double) {
        #expect(abs(Odds(values: values).anyCollision - chance) < 0.006)
    }

    @Test func `without contacts or without strangers there are no false friends`() {
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

    @Test func `probabilities approach 1 and never exceed it`() {
        let odds = Odds(values: 600)
        #expect(odds.anyFalseFriend(among: 10) < odds.falseFriends(among: 10))
        #expect(odds.anyFalseFriend(among: 10, epochs: 96) > odds.anyFalseFriend(among: 10))
        #expect((0.999...1.0).contains(odds.anyFalseFriend(among: 1000)))
        #expect((0.999...1.0).contains(Odds(values: Odds.valueLimit).perStranger))
    }

    // The values of readers and strangers are random, and they meet at a random second of an epoch.
    @Test(arguments: [(40, 50, UInt64(1)), (600, 10, 2), (2000, 200, 3)])
    func `a simulated crowd has as many false friends as the formula predicts`(
        values: Int, strangers: Int, seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let odds = Odds(values: values)
        let rounds = 400_000 / values
        var friends = 0
        for _ in 0..<rounds {
            var counts = [Bool](repeating: false, count: Odds.minors)
            // The values of a neighbouring epoch count if the random second is within τ of the boundary.
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
        // Five standard deviations of the count, and a margin for the random table of each round.
        #expect(abs(Double(friends) - expected) < 5 * (expected * 1.3).squareRoot() + 0.02 * expected, "\(friends)")
    }
}

internal import Foundation
internal import InklingWorld

/// `inkling-world --years N`: histories of single devices, and meetings of pairs.
enum Years {
    private static let starts = 120

    /// Simulates histories and meetings, and returns whether all is as it should be.
    static func carriedOut(histories: Int) -> Bool {
        var isSound = true
        var broken = 0
        var sum = ClockHistory.Result()
        for seed in 1...UInt64(histories) {
            let result = ClockHistory.run(seed: seed, starts: starts)
            sum.starts += result.starts
            sum.shown += result.shown
            sum.refusals += result.refusals
            sum.resets += result.resets
            sum.years += result.years
            if let words = result.violations.first {
                broken += 1
                isSound = false
                if broken > 10 { continue }
                print("history \(seed): \(words)")
            }
        }
        print(
            """
            \(histories) histories of devices, \(Int(sum.years)) years: \(sum.starts) starts, \(sum.shown) epochs shown, \
            \(sum.refusals) times not accepted, \(sum.resets) operator resets
            figure: histories of devices with a broken promise = \(broken) of \(histories)
            """)
        for fault in ClockHistory.Fault.allCases {
            let found = (1...UInt64(min(histories, 500))).lazy.compactMap { seed in
                ClockHistory.run(seed: seed, starts: starts, fault: fault).violations.first.map { (seed, $0) }
            }.first
            if !isFound(fault.rawValue, by: found.map { seed, words in "history \(seed): \(words)" }) {
                isSound = false
            }
        }
        if !users(histories: max(histories / 50, 20)) { isSound = false }
        if !healing(seeds: max(histories / 100, 10)) { isSound = false }
        // Meetings of weekly pairs: with 93 days, and with 30 as a control that must lapse.
        let pairs = histories * 200
        for (days, range) in [(93.0, 0.0...0.0003), (30.0, 0.4...0.6)] {
            let lapsed = Lapses.count(pairs: pairs, days: days, meanDays: 7, seed: 93)
            let share = Double(lapsed) / Double(pairs)
            print(
                "\(lapsed) of \(pairs) pairs that meet weekly at random lost each other in a year, with grants of "
                    + "\(Int(days)) days: " + String(format: "%.4f %%", share * 100))
            if !range.contains(share) {
                isSound = false
                print("  expected \(range.lowerBound * 100) to \(range.upperBound * 100) %")
            }
        }
        return isSound
    }

    /// Users with several devices, lost and restored, and a revoked contact that keeps all it had.
    private static func users(histories: Int) -> Bool {
        var isSound = true
        var sum = UserHistory.Result()
        for seed in 1...UInt64(histories) {
            let result = UserHistory.run(seed: seed, years: userYears)
            sum += result
            guard let words = result.violations.first else { continue }
            isSound = false
            print("user \(seed): \(words)")
        }
        let expected = Double(sum.compared) / 65_536
        print(
            """
            \(histories) users, \(Int(sum.years)) years: \(sum.meetings) meetings, \(sum.healings) by pair audiences, \
            \(sum.lostDevices) devices lost, \(sum.restores) restores, \(sum.revocations) revoked contacts, who recognised \
            \(sum.matchedBefore) times before and \(sum.matchedLagging) times a device that had not met the primary since
            \(sum.compared) values compared with what the revoked and thieves can compute: no equal name, \
            \(sum.equalMinors) equal minors, by chance \(String(format: "%.1f", expected))
            """)
        // Five standard deviations above the mean of a Poisson distribution, and one.
        if Double(sum.equalMinors) > expected + 5 * expected.squareRoot() + 1 || sum.matchedBefore == 0 {
            isSound = false
            print("  the revoked are matched above chance, or the comparison never matches")
        }
        for fault in UserHistory.Fault.allCases {
            let found = (1...UInt64(200)).lazy.compactMap { seed in
                UserHistory.run(seed: seed, years: userYears, fault: fault).violations.first.map { (seed, $0) }
            }.first
            if !isFound(fault.rawValue, by: found.map { seed, words in "user \(seed): \(words)" }) { isSound = false }
        }
        return isSound
    }

    private static let userYears = 3

    /// Contacts without valid grants on one network are found again within the bound.
    private static func healing(seeds: Int) -> Bool {
        var isSound = true
        var slowest = 0.0
        for count in 1...64 {
            for seed in 1...UInt64(seeds) {
                let result = Healing.run(contacts: count, seed: seed)
                slowest = max(slowest, result.map { Double($0.epochs) / Double($0.bound) } ?? .infinity)
                if let result, result.epochs <= result.bound { continue }
                isSound = false
                print("healing of \(count) contacts, seed \(seed): \(result.map { "\($0.epochs) epochs" } ?? "never")")
            }
        }
        print(
            "of 1 to 64 contacts without grants, those who are there are found within \(slowest) of the bound of one epoch for each four"
        )
        for fault in Healing.Fault.allCases {
            let found = (1...UInt64(20)).lazy.compactMap { seed in
                (2...64).first { count in
                    Healing.run(contacts: count, seed: seed, fault: fault).map { $0.epochs > $0.bound } ?? true
                }.map { (seed, $0) }
            }.first
            if !isFound(fault.rawValue, by: found.map { seed, count in "seed \(seed) with \(count) contacts" }) {
                isSound = false
            }
        }
        return isSound
    }
}

/// Prints what has found a planted fault, in words and in the line that a record keeps. Returns whether anything has.
func isFound(_ fault: String, by finder: String?) -> Bool {
    print(
        "\(fault): \(finder.map { "found by \($0)" } ?? "NOT FOUND")\nplanted: \(fault) \(finder == nil ? "not found" : "found")"
    )
    return finder != nil
}

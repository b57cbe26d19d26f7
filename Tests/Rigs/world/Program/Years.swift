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
            """)
        for fault in ClockHistory.Fault.allCases {
            let found = (1...UInt64(min(histories, 500))).lazy.compactMap { seed in
                ClockHistory.run(seed: seed, starts: starts, fault: fault).violations.first.map { (seed, $0) }
            }.first
            if let (seed, words) = found {
                print("\(fault.rawValue): found by history \(seed): \(words)")
            } else {
                isSound = false
                print("\(fault.rawValue): NOT FOUND")
            }
        }
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
}

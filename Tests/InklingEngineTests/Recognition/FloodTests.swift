import Foundation
import InklingEngine
import InklingKeys
import InklingTesting
import Testing

/// 500 contacts, an attacker who shows a thousand random minors a second from as many addresses, and one contact who is
/// really near.
private struct Flood {
    private static let contacts: UInt32 = 500
    // Each contact has a minor of its own. If two shared one, the wrong one would be tried first half of the time, and
    // an address is tried only once in an epoch, with or without a flood.
    private static let shown: [PredictedValues] = {
        var generator = SeededGenerator(seed: 500)
        return zip(1...contacts, (0...UInt16.max).shuffled(using: &generator)).map { number, minor in
            values(ContactID(rawValue: number), minor: minor)
        }
    }()

    private var observer: RadioObserver
    private var generator: SeededGenerator
    private let isFlooded: Bool
    /// The number of attempts, and the most in any minute.
    private(set) var starts: [Int] = []

    init(seed: UInt64, delay: UInt64, isFlooded: Bool) {
        observer = RadioObserver(Self.shown)
        // All delays are equal, so that a run with the flood can be compared with one without it.
        observer.generator = ConstantGenerator(value: delay)
        generator = SeededGenerator(seed: seed)
        self.isFlooded = isFlooded
    }

    /// The time in milliseconds from the first sighting of the contact to the attempt at its own address; nil if there
    /// is none within a minute.
    mutating func recognitionTime() -> Int? {
        let present = Self.shown[Int.random(in: 0..<Self.shown.count, using: &generator)]
        let contact = present.prediction.contact
        let appears = isFlooded ? 20_000 : 0
        for milliseconds in 0..<appears + 60_000 {
            var effects: [RecognitionEngine.Effect] = []
            if isFlooded {
                let minor = UInt16.random(in: 0...UInt16.max, using: &generator)
                effects += observer.hear(
                    minor, from: UInt64.random(in: 1 << 20..<1 << 47, using: &generator), milliseconds)
            }
            if milliseconds >= appears, (milliseconds - appears) % 250 == 0 {
                effects += observer.hear(present.minor.value, from: 1, milliseconds)
            }
            if milliseconds % 100 == 0 { effects += observer.send(.timerFired, milliseconds) }
            for case .confirm(let attempt) in effects {
                starts.append(milliseconds)
                if attempt.prediction.contact == contact, attempt.value == .minor(present.minor, from: address(1)) {
                    return milliseconds - appears
                }
                observer.send(.attemptFailed(attempt, .stranger), milliseconds)
            }
        }
        return nil
    }
}

@Suite struct `A flood of minors` {
    // `make verify-figures` sets the variable and does more runs than the other checks have time for.
    private static let runs =
        ProcessInfo.processInfo.environment["INKLING_STATISTICS"].flatMap(UInt64.init).map { 16 * $0 } ?? 4

    @Test func `does not hide a contact: in 99 of 100 runs it is tried within twice the time without a flood`() {
        var late = 0
        for seed in 0..<Self.runs {
            let delay = 1000 + seed * 4000 / Self.runs
            var quiet = Flood(seed: seed, delay: delay, isFlooded: false)
            var flooded = Flood(seed: seed, delay: delay, isFlooded: true)
            guard let idle = quiet.recognitionTime() else {
                Issue.record("not recognised even without a flood, seed \(seed)")
                continue
            }
            if flooded.recognitionTime().map({ $0 > 2 * idle }) ?? true { late += 1 }
            let most = flooded.starts.map { start in flooded.starts.count { (start..<start + 60_000).contains($0) } }
                .max()
            #expect(most ?? 0 <= 6)
        }
        #expect(late <= Int(Self.runs) / 100, "\(late) of \(Self.runs) runs")
    }
}

import InklingConformance
import Testing

@Suite struct `The difference of two clocks` {
    /// Covers INK-CNF-044.
    @Test func `is that at the middle of the question and its answer, with half of their distance as error`() {
        let difference = ClockDifference(nodeTime: 1_000_500, sent: 1_000_000, received: 1_000_400, rate: 1)
        #expect(difference.milliseconds == 300)
        #expect(difference.uncertainty == 450)
    }

    @Test func `is in real time when protocol time runs faster`() {
        let difference = ClockDifference(nodeTime: 1_000_000, sent: 1_000_000, received: 1_043_200, rate: 36)
        #expect(difference.milliseconds == -600)
        #expect(difference.uncertainty == 850, "an answer that took 1.2 s on a busy machine says little")
    }

    @Test func `is that of the quicker answer, whichever came first`() {
        let slow = ClockDifference(nodeTime: 5_000, sent: 0, received: 1_200, rate: 1)
        let quick = ClockDifference(nodeTime: 5_000, sent: 0, received: 20, rate: 1)
        #expect(slow.better(quick) == quick)
        #expect(quick.better(slow) == quick)
    }
}

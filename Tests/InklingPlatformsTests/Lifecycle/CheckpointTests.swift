import InklingEngine
import InklingPlatforms
import InklingTesting
import Testing

@Suite struct `Checkpoints` {
    /// Covers INK-LIF-065.
    @Test func `leaving the foreground flushes, writes a marker and ends the task at once`() {
        var checkpoint = Checkpoint()
        #expect(checkpoint.handle(.received(1)) == [.write(1)])
        #expect(checkpoint.handle(.received(2)) == [.write(2)])
        #expect(checkpoint.handle(.leftForeground) == [.beginTask, .flush])
        #expect(checkpoint.handle(.flushed) == [.writeMarker(2)])
        #expect(checkpoint.handle(.markerWritten) == [.endTask])
        #expect(checkpoint.handle(.leftForeground) == [])
    }

    @Test(
        arguments: [
            ([], Checkpoint.Verdict.empty), ([.record(1), .record(2), .marker(2)], .complete(last: 2)),
            ([.record(1), .record(2)], .incomplete(resumeAfter: 2)),
            ([.record(1), .marker(1), .record(2)], .incomplete(resumeAfter: 2)),
            ([.record(1), .record(4), .marker(1)], .incomplete(resumeAfter: 1)),
        ] as [([Checkpoint.Entry], Checkpoint.Verdict)])
    func `a journal without a marker at its end is incomplete`(
        journal: [Checkpoint.Entry], verdict: Checkpoint.Verdict
    ) {
        #expect(Checkpoint(journal: journal).verdict == verdict)
    }

    @Test func `the task ends without a marker when its time is over`() {
        var checkpoint = Checkpoint(journal: [.record(1)])
        _ = checkpoint.handle(.leftForeground)
        #expect(checkpoint.handle(.expired) == [.endTask])
        #expect(checkpoint.handle(.flushed) == [])
        #expect(checkpoint.verdict == .incomplete(resumeAfter: 1))
    }

    @Test func `asks for the records of a gap once, and writes a repeated record once`() {
        var checkpoint = Checkpoint(journal: [.record(1)])
        #expect(checkpoint.handle(.received(4)) == [.write(4), .replay(after: 1)])
        #expect(checkpoint.handle(.received(5)) == [.write(5)])
        #expect(checkpoint.handle(.received(4)) == [])
        #expect(checkpoint.handle(.received(2)) == [.write(2)])
        #expect(checkpoint.handle(.received(3)) == [.write(3)])
        #expect(checkpoint.through == 5)
    }

    /// Covers INK-LIF-077.
    @Test func `gives up a gap when more than 1024 records wait beyond it, and continues after it`() {
        var checkpoint = Checkpoint(journal: [.record(1)])
        for number in 3...1026 as ClosedRange<UInt64> { _ = checkpoint.handle(.received(number)) }
        #expect(checkpoint.through == 1)
        #expect(
            checkpoint.handle(.received(1028)) == [.write(1028), .giveUp(after: 1, before: 3), .replay(after: 1026)])
        #expect(checkpoint.handle(.received(1027)) == [.write(1027)])
        #expect(checkpoint.through == 1028)
    }

    /// A peer keeps its records and repeats them on request; the app is killed at random.
    /// Covers INK-LIF-070.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `loses and repeats no record over suspensions and kills at any time`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var produced: UInt64 = 0
        // Flushed records survive a kill. Of those written since the last flush, only the first few may survive.
        var disk: [Checkpoint.Entry] = []
        var buffer: [Checkpoint.Entry] = []
        var checkpoint = Checkpoint()
        var toSend: [UInt64] = []
        var verdicts: Set<String> = []

        func apply(_ effects: [Checkpoint.Effect]) {
            for effect in effects {
                switch effect {
                case .write(let number): buffer.append(.record(number))
                case .writeMarker(let number): buffer.append(.marker(number))
                case .giveUp: Issue.record("seed \(seed): a gap that could be filled was given up")
                case .replay(let after): toSend = after < produced ? Array(after + 1...produced) : []
                case .flush:
                    disk += buffer
                    buffer = []
                case .beginTask, .endTask: break
                }
            }
        }

        for _ in 0..<500 {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                // The app is killed, and a part of the unflushed records is left.
                disk += buffer.prefix(Int.random(in: 0...buffer.count, using: &generator))
                buffer = []
                checkpoint = Checkpoint(journal: disk)
                switch checkpoint.verdict {
                case .empty: toSend = produced > 0 ? Array(1...produced) : []
                case .complete(let last), .incomplete(let last):
                    if case .complete = checkpoint.verdict { verdicts.insert("complete") }
                    toSend = last < produced ? Array(last + 1...produced) : []
                }
            case 1: apply(checkpoint.handle(.leftForeground))
            case 2: apply(checkpoint.handle(.flushed))
            case 3: apply(checkpoint.handle(.markerWritten))
            case 4: apply(checkpoint.handle(.expired))
            case 5:
                // The link loses a record; the next one reveals the gap.
                produced += 1
                if produced == 1 { toSend.append(produced) }
            case 6...9:
                produced += 1
                toSend.append(produced)
            default:
                guard !toSend.isEmpty else { continue }
                apply(checkpoint.handle(.received(toSend.removeFirst())))
            }
        }
        produced += 1
        toSend.append(produced)
        while !toSend.isEmpty { apply(checkpoint.handle(.received(toSend.removeFirst()))) }
        let written = (disk + buffer).compactMap { if case .record(let number) = $0 { number } else { nil } }
        #expect(written.sorted() == Array(1...produced), "seed \(seed)")
        #expect(checkpoint.through == produced, "seed \(seed)")
    }
}

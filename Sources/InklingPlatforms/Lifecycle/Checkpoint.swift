/// Keeps a sequence of records whole over suspension and termination (`Specs/lifecycle.md`).
///
/// Records are written as they come. When the app leaves the foreground the last of them are flushed and a marker is
/// put behind them; a journal that does not end in a marker tells that a session did not end well.
public struct Checkpoint: Sendable {
    /// What a journal holds, in the order in which it was written.
    public enum Entry: Hashable, Sendable {
        /// The record with this number.
        case record(UInt64)
        /// Every record up to this number is there.
        case marker(UInt64)
    }

    /// What a journal says about the run before.
    public enum Verdict: Hashable, Sendable {
        /// There is no run before: the journal has no entries.
        case empty
        /// It was flushed and nothing came after.
        case complete(last: UInt64)
        /// It ended without a marker, or records are missing: ask for everything after this number.
        case incomplete(resumeAfter: UInt64)
    }

    /// What happened.
    public enum Event: Hashable, Sendable {
        /// A record came.
        case received(UInt64)
        /// The app is not on the screen any more.
        case leftForeground
        /// What was written before `flush` is on disk.
        case flushed
        /// What `writeMarker` asked for is on disk.
        case markerWritten
        /// The system ends the time for this.
        case expired
    }

    /// What the caller must do, in the order of the list.
    public enum Effect: Hashable, Sendable {
        /// Append the record with this number to the journal.
        case write(UInt64)
        /// Records are missing: ask the peer for everything after this number.
        case replay(after: UInt64)
        /// The records between these two are lost: the peer did not repeat them, and too much waits behind them.
        case giveUp(after: UInt64, before: UInt64)
        /// Ask the system for time to finish.
        case beginTask
        /// Bring everything written so far to disk, and report `flushed`.
        case flush
        /// Append a marker for this number, bring it to disk, and report `markerWritten`.
        case writeMarker(UInt64)
        /// Tell the system that the time is not needed any more.
        case endTask
    }

    private enum Phase: Hashable, Sendable {
        case idle
        case flushing(through: UInt64)
        case marking
    }

    /// Records that wait behind a gap; with one more, the gap is given up.
    public static let beyondLimit = 1024

    private var phase = Phase.idle
    /// The last number up to which no record is missing; nil before the first.
    public private(set) var through: UInt64?
    private var beyond: Set<UInt64> = []
    private var marked: UInt64?
    private var isReplaying = false

    /// Takes up a journal.
    public init(journal: [Entry] = []) {
        for entry in journal {
            switch entry {
            case .record(let number):
                _ = take(number)
                _ = giveUp()
                marked = nil
            case .marker(let number):
                advance(to: max(through ?? number, number))
                marked = number
            }
        }
        // The verdict says so already, and whoever resumes asks for what is missing.
        isReplaying = !beyond.isEmpty
    }

    /// What is to be done about the run before, at the start of this one.
    public var verdict: Verdict {
        guard let through else { return .empty }
        return marked == through && beyond.isEmpty ? .complete(last: through) : .incomplete(resumeAfter: through)
    }

    /// Takes one event and says what the caller must now do, in order.
    public mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .received(let number):
            guard take(number) else { return [] }
            marked = nil
            let lost = giveUp()
            if lost != nil || beyond.isEmpty { isReplaying = false }
            defer { isReplaying = !beyond.isEmpty }
            return [.write(number)] + (lost.map { [$0] } ?? [])
                + (beyond.isEmpty || isReplaying ? [] : through.map { [.replay(after: $0)] } ?? [])
        case .leftForeground:
            guard phase == .idle, let through, marked != through else { return [] }
            phase = .flushing(through: through)
            return [.beginTask, .flush]
        case .flushed:
            guard case .flushing(let through) = phase else { return [] }
            phase = .marking
            // A record that came during the flush stands behind the marker, and needs the next one.
            marked = through
            return [.writeMarker(through)]
        case .markerWritten:
            guard phase == .marking else { return [] }
            phase = .idle
            return [.endTask]
        case .expired:
            guard phase != .idle else { return [] }
            phase = .idle
            marked = nil
            return [.endTask]
        }
    }

    /// Takes a number in; false for one that is there.
    private mutating func take(_ number: UInt64) -> Bool {
        guard let through else {
            advance(to: number)
            return true
        }
        guard number > through, !beyond.contains(number) else { return false }
        if number - through == 1 {
            advance(to: number)
            return true
        }
        beyond.insert(number)
        return true
    }

    /// Goes on behind a gap that will not be filled any more.
    private mutating func giveUp() -> Effect? {
        guard beyond.count > Self.beyondLimit, let through, let first = beyond.min() else { return nil }
        advance(to: first)
        return .giveUp(after: through, before: first)
    }

    private mutating func advance(to number: UInt64) {
        through = number
        guard !beyond.isEmpty else { return }
        var last = number
        beyond = beyond.filter { $0 > last }
        while last < .max, beyond.remove(last + 1) != nil { last += 1 }
        through = last
    }
}

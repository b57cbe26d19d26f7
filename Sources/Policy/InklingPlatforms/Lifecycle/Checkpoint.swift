/// A checkpoint that prevents suspension or termination from losing a numbered record (`Specs/lifecycle.md`).
///
/// Records are appended to a journal as they arrive. When the app leaves the foreground, the journal is flushed and a
/// marker is appended. A journal that does not end in a marker shows that the previous run did not end cleanly.
public struct Checkpoint: Sendable {
    /// An entry of a journal; entries are in the order in which they were written.
    public enum Entry: Hashable, Sendable {
        /// The record with this number.
        case record(UInt64)
        /// A marker: no record up to this number is missing.
        case marker(UInt64)
    }

    /// The conclusion about the previous run from its journal.
    public enum Verdict: Hashable, Sendable, CustomStringConvertible {
        /// The journal has no entries, so there was no previous run.
        case empty
        /// The journal was flushed, and no record is missing up to `last`, the number of the last one.
        case complete(last: UInt64)
        /// The journal has no marker at its end, or records are missing: ask for everything after this number.
        case incomplete(resumeAfter: UInt64)

        /// The verdict in words, for a log.
        public var description: String {
            switch self {
            case .empty: "no previous run"
            case .complete(let last): "complete up to record \(last)"
            case .incomplete(let number): "incomplete after record \(number)"
            }
        }
    }

    /// An event that the caller reports.
    public enum Event: Hashable, Sendable {
        /// A record arrived.
        case received(UInt64)
        /// The app left the foreground.
        case leftForeground
        /// Everything that was written before the effect `flush` is on disk.
        case flushed
        /// The marker of the effect `writeMarker` is on disk.
        case markerWritten
        /// The time that the system granted for the task is about to end.
        case expired
    }

    /// An action for the caller. The order matters.
    public enum Effect: Hashable, Sendable, CustomStringConvertible {
        /// Append the record with this number to the journal.
        case write(UInt64)
        /// Records are missing: ask the peer for everything after this number.
        case replay(after: UInt64)
        /// The records between these two numbers are lost: the peer did not repeat them, and too many later ones wait.
        case giveUp(after: UInt64, before: UInt64)
        /// Ask the system for time to finish.
        case beginTask
        /// Write everything so far to disk, and report `flushed`.
        case flush
        /// Append a marker for this number, write it to disk, and report `markerWritten`.
        case writeMarker(UInt64)
        /// Tell the system that the task has ended.
        case endTask

        /// The effect in words, for a log.
        public var description: String {
            switch self {
            case .write(let number): "write record \(number)"
            case .replay(let number): "ask for the records after \(number)"
            case .giveUp(let after, let before): "give up the records after \(after) and before \(before)"
            case .beginTask: "begin a background task"
            case .flush: "flush the journal"
            case .writeMarker(let number): "write a marker for record \(number)"
            case .endTask: "end the background task"
            }
        }
    }

    private enum Phase: Hashable, Sendable {
        case idle
        case flushing(through: UInt64)
        case marking
    }

    /// The most records that may wait beyond a gap; one more, and the gap is given up.
    public static let beyondLimit = 1024

    private var phase = Phase.idle
    /// The number up to which no record is missing; nil before the first record.
    public private(set) var through: UInt64?
    private var beyond: Set<UInt64> = []
    private var marked: UInt64?
    private var isReplaying = false

    /// Creates a checkpoint from the journal of the previous run.
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
        // The verdict already reports the gap, and the caller asks for the missing records when it resumes.
        isReplaying = !beyond.isEmpty
    }

    /// The conclusion about the previous run from its journal.
    public var verdict: Verdict {
        guard let through else { return .empty }
        return marked == through && beyond.isEmpty ? .complete(last: through) : .incomplete(resumeAfter: through)
    }

    /// Handles one event and returns the effects to carry out, in order.
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
            // A record that arrived during the flush is not covered by this marker and needs the next one.
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

    /// Records that a number was received. Returns false for a duplicate.
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

    /// Gives up the first gap if too many records wait beyond it, and continues after it.
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

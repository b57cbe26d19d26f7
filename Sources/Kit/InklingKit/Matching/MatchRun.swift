import Dispatch
import InklingMatching
import InklingTerminal
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A run that matches the log on standard input on several threads, and writes the matches in the order of its lines.
///
/// A thread takes the next block, matches it, and writes when the previous block has been written. So there are never
/// more blocks in memory than threads.
final class MatchRun: Sendable {
    /// A block that a thread has taken.
    private struct Turn {
        /// The number of lines before the block.
        let before: Int
        /// The number of bytes read so far.
        let byteCount: Int
        /// Signalled when the previous block has been written, and when this one has.
        let previous: DispatchSemaphore, own: DispatchSemaphore
    }

    private struct Input {
        var log = LogInput()
        var byteCount = 0
        var failure: Failure?
        var last: DispatchSemaphore
    }

    private struct Output {
        var tally = MatchTally()
        var shownFaults = 0
        var isOver = false
        var failure: Failure?
        var progress = Progress(of: "lines", logs: true)
    }

    private static let shownFaults = 10

    private let matcher: Matcher
    private let rules: LineMatcher.Rules
    private let length: Int?
    private let input: Mutex<Input>
    private let output = Mutex(Output())
    // The ends of a pipe, which becomes readable when the run is over: that ends a wait for input.
    private let isOver: Int32, end: Int32

    /// Creates a run over standard input.
    init(_ matcher: Matcher, rules: LineMatcher.Rules) {
        self.matcher = matcher
        self.rules = rules
        length = standardInputLength()
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        (isOver, end) = (ends[0], ends[1])
        let first = DispatchSemaphore(value: 0)
        first.signal()
        input = Mutex(Input(last: first))
    }

    deinit { for end in [isOver, end] where end >= 0 { close(end) } }

    /// Matches the whole log.
    ///
    /// - Returns: the counts; nil if the output could not be written.
    /// - Throws: `Failure` when the log cannot be read, at a line that is rejected unless the rules say otherwise, and
    ///   when predictions cannot be computed.
    func run(processors: Int) async throws(Failure) -> MatchTally? {
        await blocking { DispatchQueue.concurrentPerform(iterations: processors) { _ in self.work() } }
        let (tally, isOver, failure) = output.withLock { output in
            output.progress.clear()
            return (output.tally, output.isOver, output.failure)
        }
        if let failure = input.withLock({ $0.failure }) ?? failure { throw failure }
        return isOver ? nil : tally
    }

    private func work() {
        var block = LogBlock()
        var lines = LineMatcher(matcher, rules: rules)
        while let turn = next(&block) {
            let result = Result { try lines.match(block, after: turn.before) }
            turn.previous.wait()
            write(result, turn)
            turn.own.signal()
        }
    }

    // Input

    private func next(_ block: inout LogBlock) -> Turn? {
        input.withLock { input in
            var (count, failure) = (0, Failure?.none)
            let before = unsafe input.log.next(
                into: &block,
                reading: { room in
                    let got = unsafe self.read(room, &failure)
                    count += got
                    return got
                },
                isReady: { Self.isReady() })
            input.byteCount += count
            input.failure = input.failure ?? failure
            guard let before else { return nil }
            let own = DispatchSemaphore(value: 0)
            defer { input.last = own }
            return Turn(before: before, byteCount: input.byteCount, previous: input.last, own: own)
        }
    }

    /// Waits for input, and reads. Returns 0 at the end, and when the run is over.
    private func read(_ room: UnsafeMutableRawBufferPointer, _ failure: inout Failure?) -> Int {
        while true {
            var wanted = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOver, events: Int16(POLLIN), revents: 0),
            ]
            if unsafe poll(&wanted, 2, -1) < 0 { continue }
            if wanted[1].revents != 0 { return 0 }
            let count = unsafe Glibc.read(STDIN_FILENO, room.baseAddress, room.count)
            if count >= 0 { return count }
            guard errno == EINTR || errno == EAGAIN else {
                failure = Failure(.badData, "cannot read standard input: \(systemMessage())")
                return 0
            }
        }
    }

    /// Returns whether standard input can be read without waiting.
    private static func isReady() -> Bool {
        var wanted = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wanted, 1, 0) > 0
    }

    // Output

    private func write(_ result: Result<MatchedLines, any Error>, _ turn: Turn) {
        output.withLock { output in
            guard !output.isOver else { return }
            switch result {
            case .success(let matched): write(matched, &output)
            case .failure(let error):
                output.failure = error as? Failure ?? Failure(.unavailable, "\(error)")
                output.isOver = true
            }
            output.progress.show(
                output.tally.lines, share: length.map { Double(turn.byteCount) / Double($0) })
            if output.isOver { _ = InklingTerminal.write("\n", to: end) }
        }
    }

    /// Writes matches and faults in the order of their lines.
    private func write(_ matched: MatchedLines, _ output: inout Output) {
        output.tally += matched.tally
        var written = 0
        for fault in matched.faults {
            let what = "line \(fault.line): \(fault.error)"
            let isLast = !rules.keepsGoing
            guard isLast || output.shownFaults < Self.shownFaults else { break }
            guard InklingTerminal.write(matched.output.span.extracting(written..<fault.place)) else {
                output.isOver = true
                return
            }
            written = fault.place
            output.progress.clear()
            if isLast {
                output.failure = Failure(
                    .badData, what,
                    remedy: "Lines read: \(fault.line). Correct the line, or skip it with --keep-going.")
                output.isOver = true
                return
            }
            output.shownFaults += 1
            writeError("\(programName): \(what)\n")
        }
        if !InklingTerminal.write(matched.output.span.extracting(written...)) { output.isOver = true }
    }
}

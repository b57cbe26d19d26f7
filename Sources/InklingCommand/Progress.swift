import InklingJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Shows on standard error how far a long reading of standard input is: a bar for a person at a terminal, and for a log
/// a plain line now and then.
struct Progress {
    private let total: Int?
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant
    private let interval: Duration

    /// The progress of reading standard input, whose length is known when it is a file.
    init() {
        isShown = isTerminal(STDERR_FILENO)
        interval = isShown ? .milliseconds(100) : .seconds(10)
        last = start
        var facts = stat()
        let isFile = unsafe fstat(STDIN_FILENO, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_size > 0
        total = isFile ? Int(facts.st_size) : nil
    }

    /// Shows that this much is done, unless it was shown just before.
    mutating func show(lines: Int, bytes: Int) {
        let now = ContinuousClock.now
        guard now - last >= interval else { return }
        last = now
        let seconds = max(0.001, Double(start.duration(to: now).components.seconds) + 0.001)
        let rate = "\(figure(Double(lines) / seconds, digits: 2)) lines/s"
        guard isShown else { return writeError("inkling: \(lines) lines read, \(rate)\n") }
        guard let total else { return writeError("\r\u{1b}[K\(lines) lines   \(rate)") }
        let share = min(1, Double(bytes) / Double(total))
        let width = 30
        let filled = Int(share * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let left = share > 0 ? Int(seconds / share - seconds) : 0
        writeError("\r\u{1b}[K\(bar) \(Int(share * 100)) %   \(rate)   \(left) s left")
    }

    /// Takes the bar away.
    func clear() {
        if isShown { writeError("\r\u{1b}[K") }
    }
}

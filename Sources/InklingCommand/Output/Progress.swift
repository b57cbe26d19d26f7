#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Shows on standard error how far a long task is: a bar for a person at a terminal; for a log, if wanted, a plain line
/// every ten seconds.
struct Progress {
    private let unit: String
    private let isShown: Bool
    private let isLogged: Bool
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant

    /// Begins a task that is counted in `unit`, a plural such as `lines`.
    init(of unit: String, logs: Bool = false) {
        self.unit = unit
        isLogged = logs
        isShown = isTerminal(STDERR_FILENO)
        last = start
    }

    /// Shows how much is done, at most ten times a second; `share`, from 0 to 1, is how much of all that is.
    mutating func show(_ done: Int, share: Double? = nil, note: String = "") {
        let now = ContinuousClock.now
        guard isShown || isLogged, now - last >= (isShown ? .milliseconds(100) : .seconds(10)) else { return }
        last = now
        let seconds = max(0.001, (now - start) / .seconds(1))
        let rate = "\(figure(Double(done) / seconds, digits: 2)) \(unit)/s"
        guard isShown else { return writeError("inkling: \(done) \(unit) done, \(rate)\(note)\n") }
        guard let share else { return writeError("\r\u{1b}[K\(done) \(unit)   \(rate)\(note)") }
        let bounded = min(1, max(0, share))
        let width = 30
        let filled = Int(bounded * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let left = bounded > 0 ? "   \(Int(seconds / bounded - seconds)) s left" : ""
        writeError("\r\u{1b}[K\(bar) \(Int(bounded * 100)) %   \(rate)\(left)\(note)")
    }

    /// Removes the bar.
    func clear() {
        if isShown { writeError("\r\u{1b}[K") }
    }
}

/// The length of standard input in bytes; nil when it is not a file.
func standardInputLength() -> Int? {
    var facts = stat()
    let isFile = unsafe fstat(STDIN_FILENO, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_size > 0
    return isFile ? Int(facts.st_size) : nil
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The progress of a long task on standard error: a bar on a terminal, and elsewhere, if wanted, a plain line every ten
/// seconds.
package struct Progress {
    private let unit: String
    private let isShown: Bool
    private let isLogged: Bool
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant

    /// Starts a task that is counted in `unit`, a plural such as `lines`. With `logs`, progress is written even when
    /// standard error is not a terminal.
    package init(of unit: String, logs: Bool = false) {
        self.unit = unit
        isLogged = logs
        isShown = isTerminal(STDERR_FILENO)
        last = start
    }

    /// Shows that `done` units are done, on a terminal at most ten times a second.
    ///
    /// - Parameters:
    ///   - done: the number of units.
    ///   - share: the part of the task that is done, 0 to 1; nil when the total is unknown.
    ///   - note: text to follow on the same line.
    package mutating func show(_ done: Int, share: Double? = nil, note: String = "") {
        let now = ContinuousClock.now
        guard isShown || isLogged, now - last >= (isShown ? .milliseconds(100) : .seconds(10)) else { return }
        last = now
        let seconds = max(0.001, (now - start) / .seconds(1))
        let rate = "\(figure(Double(done) / seconds, digits: 2)) \(unit)/s"
        guard isShown else { return writeError("\(programName): \(done) \(unit) done, \(rate)\(note)\n") }
        guard let share else { return writeError("\r\u{1b}[K\(done) \(unit)   \(rate)\(note)") }
        let bounded = min(1, max(0, share))
        let width = 30
        let filled = Int(bounded * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        let left = bounded > 0 ? "   \(Int(seconds / bounded - seconds)) s left" : ""
        writeError("\r\u{1b}[K\(bar) \(Int(bounded * 100)) %   \(rate)\(left)\(note)")
    }

    /// Removes the bar from the terminal.
    package func clear() {
        if isShown { writeError("\r\u{1b}[K") }
    }
}

/// Returns the length of standard input in bytes; nil when it is empty or not a file.
package func standardInputLength() -> Int? {
    var facts = stat()
    let isFile = unsafe fstat(STDIN_FILENO, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_size > 0
    return isFile ? Int(facts.st_size) : nil
}

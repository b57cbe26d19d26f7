import InklingJSON
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The error number of the first write to standard output that failed, except because its reader went away.
private let firstOutputError = Mutex<Int32?>(nil)

/// Writes text to standard output at once.
///
/// Returns false when standard output takes no more; a verb with more to write stops then. `reporting` ends the program
/// with exit code 74, unless the reader went away, which is not an error.
@discardableResult
func write(_ text: String) -> Bool {
    guard let code = write(text, to: STDOUT_FILENO) else { return true }
    if code != EPIPE { firstOutputError.withLock { $0 = $0 ?? code } }
    return false
}

/// What prevented output from being written, if anything did.
func outputFailure() -> Failure? {
    firstOutputError.withLock { $0 }.map { code in
        Failure(.inputOutput, "cannot write to standard output: \(systemMessage(code))")
    }
}

/// Writes an object to standard output: as one line of JSON, or in the words of `text` for a person.
@discardableResult
func write(_ object: JSONObject, asJSON: Bool, otherwise text: (JSONObject) -> String) -> Bool {
    write(asJSON ? JSON.object(object).compact + "\n" : text(object))
}

/// Writes a fact to standard output: as one line of JSON, or in the words of `text` for a person.
@discardableResult
func writeFact<Fact: Encodable>(_ fact: Fact, asJSON: Bool, otherwise text: (Fact) -> String) -> Bool {
    write(asJSON ? JSON(encoding: fact).compact + "\n" : text(fact))
}

/// Writes text to standard error at once; there is no place left to report a failure.
func writeError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

/// Whether a person is looking at this stream, or typing into it.
func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// How many columns the terminal on standard output has; nil when it does not say.
func terminalColumns() -> Int? {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
}

/// Writes text to a stream at once; returns the error number when it takes no more.
func write(_ text: String, to descriptor: Int32) -> Int32? {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if errno == EAGAIN {
            // Another process that shares the stream can have made it non-blocking.
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = unsafe poll(&waiting, 1, -1)
        } else if errno != EINTR {
            return errno
        }
    }
    return nil
}

package import InklingJSON
package import InklingKeys
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The error number of the first failed write to standard output; not set when the reader has gone away.
private let firstOutputError = Mutex<Int32?>(nil)

/// Writes text to standard output, without a buffer.
///
/// Returns false when the write fails; the caller then stops writing. `reporting` ends the program with exit code 74,
/// unless the reader has gone away, which is not an error.
@discardableResult
package func write(_ text: String) -> Bool { note(write(text, to: STDOUT_FILENO)) }

/// Writes a secret text to standard output, as `write` does; this process keeps no copy.
@discardableResult
package func write(_ text: borrowing SecretBytes) -> Bool { note(text.withBytes { write($0, to: STDOUT_FILENO) }) }

/// Writes bytes to standard output, as `write` does.
@discardableResult
package func write(_ bytes: Span<UInt8>) -> Bool { note(write(bytes, to: STDOUT_FILENO)) }

private func note(_ error: Int32?) -> Bool {
    guard let code = error else { return true }
    if code != EPIPE { firstOutputError.withLock { $0 = $0 ?? code } }
    return false
}

/// Returns the first failure to write to standard output; nil without one.
package func outputFailure() -> Failure? {
    firstOutputError.withLock { $0 }.map { code in
        Failure(.inputOutput, "cannot write to standard output: \(systemMessage(code))")
    }
}

/// Writes an object to standard output: as one line of JSON, or as `text` for a person.
@discardableResult
package func write(_ object: JSONObject, asJSON: Bool, otherwise text: (JSONObject) -> String) -> Bool {
    write(asJSON ? JSON.object(object).compact + "\n" : text(object))
}

/// Writes a fact to standard output: as one line of JSON, or as `text` for a person.
@discardableResult
package func writeFact<Fact: Encodable>(_ fact: Fact, asJSON: Bool, otherwise text: (Fact) -> String) -> Bool {
    write(asJSON ? JSON(encoding: fact).compact + "\n" : text(fact))
}

/// Writes text to standard error, without a buffer. A failure is ignored: there is nowhere to report it.
package func writeError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

/// Returns whether the stream is a terminal.
package func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// Returns the number of columns of the terminal on standard output; nil when it is unknown.
package func terminalColumns() -> Int? {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
}

/// Writes a whole text to a stream; returns the error number when that fails.
package func write(_ text: String, to descriptor: Int32) -> Int32? { write(Array(text.utf8).span, to: descriptor) }

/// Writes all bytes to a stream; returns the error number when that fails.
package func write(_ bytes: Span<UInt8>, to descriptor: Int32) -> Int32? {
    var sent = 0
    while sent < bytes.count {
        let written = unsafe bytes.extracting(sent...).withPointer { rest in
            unsafe write(descriptor, rest, bytes.count - sent)
        }
        if written > 0 {
            sent += written
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

import InklingJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes text to standard output at once; false when nobody reads it any more.
@discardableResult
func write(_ text: String) -> Bool { write(text, to: STDOUT_FILENO) }

/// Writes a fact to standard output: as one line of JSON, or in the words of `text` for a person.
func write(_ fact: JSONObject, asJSON: Bool, otherwise text: (JSONObject) -> String) {
    write(asJSON ? JSON.object(fact).compact + "\n" : text(fact))
}

/// Writes text to standard error at once.
func writeError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

/// Whether a person is looking at this stream, or typing into it.
func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

/// A text of somebody else's making, without characters that would act on a terminal.
func printable(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: "\u{fffd}"
                default: scalar
                }
            }))
}

/// A text with spaces behind it up to a width, and at least one.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

/// Writes text to a stream at once; false when it takes no more.
func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if errno == EAGAIN {
            // Somebody made the stream non-blocking, which whoever shares it may do.
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = unsafe poll(&waiting, 1, -1)
        } else if errno != EINTR {
            return false
        }
    }
    return true
}

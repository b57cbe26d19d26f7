#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads a file of at most `limit` bytes; `-` is standard input. Not for secrets: the content is not wiped.
///
/// - Throws: `Failure` when the file cannot be read or is larger.
package func readFile(_ path: String, limit: Int = 64 << 20) throws(Failure) -> [UInt8] {
    let descriptor = unsafe path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(.badData, "cannot read \(path): \(systemMessage())") }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        if count == 0 { return content }
        guard count > 0 else {
            if errno == EINTR { continue }
            throw Failure(.badData, "cannot read \(path): \(systemMessage())")
        }
        content += chunk[..<count]
        guard content.count <= limit else { throw Failure(.badData, "\(path) is larger than \(limit) bytes") }
    }
}

/// Writes a text to a world-readable file, replacing its contents.
///
/// - Throws: `Failure` when the file cannot be written.
package func writeFile(_ path: String, _ text: String) throws(Failure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure(.badData, "cannot write \(path): \(systemMessage())") }
    defer { close(descriptor) }
    if let code = write(text, to: descriptor) {
        throw Failure(.inputOutput, "cannot write \(path): \(systemMessage(code))")
    }
}

/// Returns the system's text for an error number, by default that of the call that has just failed.
package func systemMessage(_ code: Int32 = errno) -> String { unsafe String(cString: strerror(code)) }

import InklingKeys
package import InklingTerminal
import InklingVault

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks for a passphrase on the terminal, without echo.
///
/// - Throws: `Failure` when standard input is not a terminal.
func askForPassphrase(_ prompt: String) throws(Failure) -> SecretBytes {
    let terminal = isTerminal(STDIN_FILENO) ? unsafe open("/dev/tty", O_RDWR | O_CLOEXEC) : -1
    guard terminal >= 0 else {
        throw Failure(
            .unavailable, "a passphrase is needed, and standard input is not a terminal",
            remedy: "Give --passphrase-file FILE, or - as FILE for standard input.")
    }
    defer { close(terminal) }
    var settings = termios()
    guard unsafe tcgetattr(terminal, &settings) == 0 else {
        throw Failure(.unavailable, "the terminal cannot hide what is typed: \(systemMessage())")
    }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ECHO)
    _ = unsafe tcsetattr(terminal, TCSAFLUSH, &settings)
    defer {
        var restored = before
        _ = unsafe tcsetattr(terminal, TCSAFLUSH, &restored)
        _ = unsafe Glibc.write(terminal, "\n", 1)
    }
    _ = unsafe prompt.withCString { unsafe Glibc.write(terminal, $0, strlen($0)) }
    return try readLine(from: terminal, named: "the terminal")
}

/// Reads a passphrase from the first line of standard input.
///
/// - Throws: `Failure` when the line is empty or too long.
func readPassphraseFromInput() throws(Failure) -> SecretBytes {
    try readLine(from: STDIN_FILENO, named: "standard input")
}

private func readLine(from descriptor: Int32, named name: String) throws(Failure) -> SecretBytes {
    let limit = VaultKey.passphraseByteCounts.upperBound
    var count = 0
    var hasEnded = false
    let line = SecretBytes(count: limit + 1) { view in
        unsafe view.withUnsafeMutableBytes { bytes in
            // Read one byte at a time, to leave what follows the line for another reader.
            while count < bytes.count {
                let got = unsafe read(descriptor, bytes.baseAddress?.advanced(by: count), 1)
                if got < 0 && errno == EINTR { continue }
                hasEnded = got <= 0
                if unsafe hasEnded || bytes[count] == 0x0a { return }
                count += 1
            }
        }
    }
    guard count <= limit else { throw Failure(.badData, "the first line of \(name) is longer than \(limit) bytes") }
    guard count > 0 else { throw Failure(.badData, "\(name) contains no passphrase") }
    return line.withBytes { SecretBytes(copying: $0.extracting(first: count)) }
}

/// Creates a key file of 32 random bytes that only its owner can read; leaves an existing file unchanged.
///
/// - Throws: `Failure` when the file cannot be created or written.
package func createKeyFile(_ path: String) throws(Failure) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
        if errno == EEXIST { return }
        throw Failure(
            errno == EACCES || errno == EPERM || errno == EROFS ? .noPermission : .configuration,
            "cannot create the key file \(path): \(systemMessage())")
    }
    defer { close(file) }
    // The umask may have left the owner fewer permissions.
    guard fchmod(file, 0o600) == 0 else {
        throw Failure(.unavailable, "cannot write the key file \(path): \(systemMessage())")
    }
    var generator = SystemRandomNumberGenerator()
    let key = SecretBytes(count: keyByteCount, from: &generator)
    let written = key.withBytes { bytes in
        unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    }
    guard written == keyByteCount, fsync(file) == 0 else {
        throw Failure(.unavailable, "cannot write the key file \(path): \(systemMessage())")
    }
}

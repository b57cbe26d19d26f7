import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The process of `python3 -m inkling.archive`, which reads predictions in the binary form and writes Parquet or Arrow.
///
/// It inherits the descriptor of the new file, so that the file is created and named like every other. It is started
/// before keys are in memory, since `ProcessHardening` then forbids starting programs.
final class ArchiveProgram {
    /// The exit code of the module when pyarrow is missing.
    private static let withoutArrow: Int32 = 69
    /// The exit code of Python without the module.
    private static let withoutModule: Int32 = 1
    /// The exit code of a Python that does not know an option, because it is older than the package requires.
    private static let tooOld: Int32 = 2

    private let format: PredictionFormat
    private var process: pid_t = 0
    /// This process's ends of its standard input and standard error; -1 when closed.
    private var input: Int32 = -1, errors: Int32 = -1
    private var buffer: [UInt8] = []
    /// The tail of its standard error.
    private var said: [UInt8] = []

    /// Starts the program, which writes to `file`.
    ///
    /// - Throws: `Failure` when python3 cannot be started.
    init(_ format: PredictionFormat, writing file: Int32) throws(Failure) {
        self.format = format
        var (toProgram, fromProgram) = ([-1, -1] as [Int32], [-1, -1] as [Int32])
        guard unsafe pipe(&toProgram) == 0, unsafe pipe(&fromProgram) == 0 else {
            throw Failure(.unavailable, "cannot create a pipe: \(systemMessage())")
        }
        for end in toProgram + fromProgram { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(toProgram[1], F_SETFL, O_NONBLOCK)
        (input, errors) = (toProgram[1], fromProgram[0])
        // When the program ends early, its exit code says why; a signal would end this process before it is read.
        _ = signal(SIGPIPE, SIG_IGN)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, toProgram[0], STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, fromProgram[1], STDERR_FILENO)
        // -P: a folder `inkling` in the working directory is not our module.
        let arguments = ["python3", "-P", "-m", "inkling.archive", format.rawValue]
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        let code = unsafe posix_spawnp(&process, arguments[0], &actions, nil, &words, environ)
        close(toProgram[0])
        close(fromProgram[1])
        guard code == 0 else {
            process = 0
            throw failure("cannot start python3, which writes \(name): \(systemMessage(code))")
        }
    }

    deinit {
        Self.end(&input)
        Self.end(&errors)
        guard process > 0 else { return }
        kill(process, SIGKILL)
        _ = status()
    }

    /// Passes on the bytes that `append` appends.
    func write(_ append: (inout [UInt8]) -> Void) {
        append(&buffer)
        if buffer.count >= 1 << 16 { flush() }
    }

    /// Passes on the remaining bytes, and waits until the program has written its file.
    ///
    /// - Throws: `Failure` when it has not, with the missing requirement or the last line of its errors.
    func finish() throws(Failure) {
        flush()
        Self.end(&input)
        while errors >= 0 { listen() }
        let status = status()
        guard status != 0 else { return }
        switch status {
        case Self.withoutArrow: throw failure("python3 has no pyarrow, which writes \(name)")
        case Self.withoutModule where lines.last?.contains("No module named") == true:
            throw failure("python3 has no module inkling.archive, which writes \(name)")
        case Self.tooOld: throw failure("python3 is older than 3.11, and cannot write \(name)")
        case ..<0:
            // The message of Python's fault handler takes several lines.
            let signal = unsafe "signal \(-status) (\(String(cString: strsignal(-status))))"
            let reason = reason(lines.joined(separator: " / "))
            throw Failure(.inputOutput, "python3 -m inkling.archive was ended by \(signal): \(reason)")
        default:
            throw Failure(.inputOutput, "python3 -m inkling.archive failed (\(status)): \(reason(lines.last ?? ""))")
        }
    }

    private var name: String { format == .arrow ? "Arrow" : "Parquet" }

    private func failure(_ what: String) -> Failure {
        let convert = "python3 -m inkling.archive \(format.rawValue) --input FILE --output FILE.\(format.rawValue)"
        return Failure(
            .unavailable, what,
            remedy: .sentence(
                """
                Python 3.11 or newer needs Inkling's module (from python3-inkling or the wheel) and pyarrow: pip \
                install pyarrow. Or use --format binary, and elsewhere: \(convert)
                """))
    }

    /// Writes the buffer. Reads the standard error of the process meanwhile, so that it never waits for us.
    private func flush() {
        var sent = 0
        while sent < buffer.count, input >= 0 {
            var streams = [
                pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&streams, 2, -1) >= 0 || errno == EINTR else { return Self.end(&input) }
            if streams[1].revents != 0 { listen() }
            guard streams[0].revents != 0 else { continue }
            let count = unsafe buffer.withUnsafeBytes { bytes in
                unsafe Glibc.write(input, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
            }
            if count > 0 { sent += count } else if errno != EAGAIN, errno != EINTR { Self.end(&input) }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Reads the process's standard error, and keeps its tail.
    private func listen() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(errors, $0.baseAddress, $0.count) }
        guard count > 0 else {
            if count == 0 || errno != EINTR { Self.end(&errors) }
            return
        }
        said = Array((said + chunk[..<count]).suffix(1000))
    }

    private static func end(_ descriptor: inout Int32) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Waits for the end of the process. Returns its exit code, or the negative number of the signal that ended it.
    private func status() -> Int32 {
        var raw: Int32 = 0
        while unsafe waitpid(process, &raw, 0) < 0, errno == EINTR {}
        process = 0
        return raw & 0x7f == 0 ? raw >> 8 & 0xff : -(raw & 0x7f)
    }

    /// The last lines of the process's standard error.
    private var lines: [String] {
        said.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    private func reason(_ text: String) -> String { text.isEmpty ? "no reason given" : printable(text) }
}

import InklingConformance
import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The program under test: its process and its streams. The process is killed when the object is released.
final class TestedProgram {
    private let arguments: [String]
    private let limit: Int
    private var process: pid_t = 0
    private var input: Int32 = -1
    private var output: Int32 = -1
    private var pending: [UInt8] = []
    private var received: [UInt8] = []
    private var searched = 0

    /// Creates a program that is not running yet. It does not read lines of more than `limit` bytes.
    init(_ arguments: [String], limit: Int) {
        self.arguments = arguments
        self.limit = limit
        // When the program ends, writing to it must fail with an error, and not end this process.
        _ = signal(SIGPIPE, SIG_IGN)
    }

    deinit { stop() }

    /// Starts the program in its own process group, so that the processes that it starts can be killed with it.
    ///
    /// - Throws: `Failure` when the program does not exist or cannot be executed.
    func start() throws(Failure) {
        stop()
        var toProgram: [Int32] = [-1, -1]
        var fromProgram: [Int32] = [-1, -1]
        guard unsafe pipe(&toProgram) == 0, unsafe pipe(&fromProgram) == 0 else {
            throw Failure(.unavailable, "cannot create a pipe: \(systemMessage())")
        }
        // No other thread starts processes, so no child can inherit the descriptors between the two calls.
        for descriptor in toProgram + fromProgram { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, toProgram[0], STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, fromProgram[1], STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        unsafe sigaddset(&defaults, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        let code = unsafe posix_spawnp(&process, arguments[0], &actions, &attributes, &words, environ)
        close(toProgram[0])
        close(fromProgram[1])
        input = toProgram[1]
        output = fromProgram[0]
        guard code == 0 else {
            process = 0
            stop()
            throw Failure(
                .unavailable, "cannot start \(arguments[0]): \(unsafe String(cString: strerror(code)))",
                remedy: "Name a program that exists and can be executed; a file in this folder is ./name.")
        }
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
    }

    /// Queues a line; it is written while `next` waits.
    func send(_ line: [UInt8]) { pending += line + [0x0a] }

    /// Closes the program's standard input.
    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
        pending = []
    }

    /// Kills the program and the processes that it has started.
    func stop() {
        closeInput()
        if output >= 0 { close(output) }
        output = -1
        received = []
        searched = 0
        guard process > 0 else { return }
        kill(-process, SIGKILL)
        _ = end()
    }

    /// Waits for the next event of the program; returns `.overdue` when there is none within `seconds`. Calls `waiting`
    /// at least once a second until then.
    func next(within seconds: Int, waiting: () -> Void) -> ConformanceRun.Event {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            if let line = nextLine() { return .line(line) }
            if received.count > limit { return .overlongLine }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return .overdue }
            if process == 0 { return .ended(status: 0) }
            if move(within: min(left, .seconds(1))) { return .ended(status: endOrStop(by: deadline)) }
            waiting()
        }
    }

    /// Returns the next complete line; nil when there is none, or when it is longer than the limit.
    private func nextLine() -> [UInt8]? {
        guard let end = received[searched...].firstIndex(of: 0x0a), end <= limit else {
            searched = received.count
            return nil
        }
        let line = Array(received[..<end])
        received.removeFirst(end + 1)
        searched = 0
        return line
    }

    /// Waits until a stream is ready, and reads or writes. Returns true when the program's output has ended.
    private func move(within left: Duration) -> Bool {
        var streams = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
        if !pending.isEmpty { streams.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
        let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
        let count = nfds_t(streams.count)
        guard unsafe poll(&streams, count, Int32(clamping: milliseconds)) > 0 else { return false }
        if streams.count > 1, streams[1].revents != 0 { feed() }
        return streams[0].revents != 0 && drain()
    }

    private func feed() {
        let count = unsafe pending.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
        if count > 0 {
            pending.removeFirst(count)
        } else if errno != EAGAIN, errno != EINTR {
            // The program has closed its input. Its output shows whether it has ended.
            pending = []
        }
    }

    /// Reads the available output. Returns true at its end.
    private func drain() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(output, $0.baseAddress, $0.count) }
        if count > 0 { received += chunk[..<count] }
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }

    /// Waits for the end of a program that has closed its output; kills it at the deadline. Returns its exit status.
    private func endOrStop(by deadline: ContinuousClock.Instant) -> Int32 {
        while ContinuousClock.now < deadline {
            if let status = end(WNOHANG) { return status }
            _ = poll(nil, 0, 5)
        }
        kill(-process, SIGKILL)
        return end() ?? 0
    }

    /// Returns the exit code, or the negative number of the signal; nil while the program runs.
    private func end(_ options: Int32 = 0) -> Int32? {
        var raw: Int32 = 0
        while true {
            let number = unsafe waitpid(process, &raw, options)
            if number == 0 { return nil }
            if number < 0, errno == EINTR { continue }
            // The program may have left processes behind.
            kill(-process, SIGKILL)
            process = 0
            return raw & 0x7f == 0 ? raw >> 8 & 0xff : -(raw & 0x7f)
        }
    }
}

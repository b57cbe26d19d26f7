package import InklingJSON
import InklingTesting
import Testing

#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// A built program in its own process, as people run it. The process is killed when the value goes away.
package final class Program {
    /// The exit and the output of a process.
    package struct Outcome: CustomStringConvertible {
        /// The exit code, or the negative number of the signal that ended it.
        package let status: Int32
        package let output: String
        package let errors: String

        package var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// The JSON object on each line of the output.
        package func facts() throws -> [JSONObject] {
            try lines.map { line in
                try #require(try JSON(parsing: Array(line.utf8)).object, "no JSON object: \(line)")
            }
        }

        package var description: String { "status \(status)\n\(output)\(errors)" }
    }

    /// The standard input of the process.
    package enum Input {
        case nothing
        case bytes([UInt8])
        /// The bytes that `send` writes.
        case later

        package static func text(_ text: String) -> Input { .bytes(Array(text.utf8)) }
    }

    /// The error of a process whose output ended before the line that a test waits for.
    package struct OutputEnded: Error, CustomStringConvertible {
        package let arguments: [String]
        package let output: String
        package let errors: String
        package var description: String {
            "the output of \(arguments.joined(separator: " ")) ended before\n\(output)\(errors)"
        }
    }

    /// The folder of the programs: the build puts them beside the program that runs the tests.
    private static let folder: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let runner = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return runner.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }()
    /// The path of `inkling`.
    package static let path = "\(folder)/inkling"
    /// The path of `inkling-kit`.
    fileprivate static let kit = "\(folder)/inkling-kit"

    package let arguments: [String]
    package let number: pid_t
    private let standardInput: Int32
    private let standardOutput: Int32
    private let standardError: Int32
    private var pending: [UInt8] = []
    private var closesInput: Bool
    private var output: [UInt8] = []
    private var errors: [UInt8] = []
    private var read = 0
    private var openStreams: Set<Int32>
    private var status: Int32?

    /// The settings of the sanitizers (`make verify-sanitizers`), which programs need as well as the tests.
    private static let sanitizers: [String: String] = {
        let names = ["ASAN_OPTIONS", "TSAN_OPTIONS", "LD_PRELOAD"]
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                unsafe getenv(name).map { unsafe (name, String(cString: $0)) }
            })
    }()

    /// `posix_spawn_file_actions_addclosefrom_np`, which glibc declares only for programs that ask for its extensions.
    private static let closeFrom: CloseFrom? =
        unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
            unsafe unsafeBitCast($0, to: CloseFrom.self)
        }
    private typealias CloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// Starts the program.
    package init(
        _ arguments: [String], input: Input = .nothing, environment: [String: String] = [:], program: String = path
    ) throws {
        #expect(ProgramThreads.areUsed, "a suite that runs programs needs the trait .runsPrograms")
        self.arguments = arguments
        let toChild = try Self.pipe()
        let fromChild = try Self.pipe()
        let errorsOfChild = try Self.pipe()
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, target) in [(toChild.read, 0), (fromChild.write, 1), (errorsOfChild.write, 2)]
            as [(Int32, Int32)]
        {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, target)
        }
        // Nor does it inherit descriptors that another test opens at this moment.
        let closeFrom = try unsafe #require(Self.closeFrom)
        _ = unsafe closeFrom(&actions, 3)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The child must have the default actions, whatever this process or its shell has set.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        for signal in [SIGPIPE, SIGINT] { unsafe sigaddset(&defaults, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        // The threads of tests block most signals, and a child inherits the mask.
        var blocked = sigset_t()
        unsafe sigemptyset(&blocked)
        unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        let all = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent"].merging(Self.sanitizers) { $1 }
            .merging(environment) { $1 }
        var variables = unsafe all.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, program, &actions, &attributes, &words, &variables)
        for descriptor in [toChild.read, fromChild.write, errorsOfChild.write] { close(descriptor) }
        number = child
        standardInput = toChild.write
        standardOutput = fromChild.read
        standardError = errorsOfChild.read
        openStreams = [standardInput, standardOutput, standardError]
        switch input {
        case .nothing: closesInput = true
        case .bytes(let bytes): (pending, closesInput) = (bytes, true)
        case .later: closesInput = false
        }
        guard code == 0 else { throw MissingProgram(path: program, code: code) }
    }

    package struct MissingProgram: Error {
        let path: String
        let code: Int32
    }

    deinit {
        if status == nil, number > 0 {
            kill(number, SIGKILL)
            waitpid(number, nil, 0)
        }
        for descriptor in openStreams { close(descriptor) }
    }

    /// Runs the program until it ends.
    package static func run(
        _ arguments: String..., input: Input = .nothing, environment: [String: String] = [:]
    ) throws -> Outcome {
        try Program(arguments, input: input, environment: environment).finish()
    }

    /// Runs the program until it ends.
    package static func run(
        _ arguments: [String], input: Input = .nothing, environment: [String: String] = [:]
    ) throws -> Outcome {
        try Program(arguments, input: input, environment: environment).finish()
    }

    /// Writes to the standard input of the program.
    package func send(_ text: String) { pending += Array(text.utf8) }

    /// Closes standard input when everything has been written to it.
    package func endInput() { closesInput = true }

    /// Sends a signal to the program.
    package func interrupt(_ signal: Int32 = SIGINT) { kill(number, signal) }

    /// Closes the reading end of the program's standard output.
    package func stopReading() {
        openStreams.remove(standardOutput)
        close(standardOutput)
    }

    /// Returns the next line of output for which `fits` is true, and skips those before it.
    ///
    /// - Throws: `OutputEnded` when the output ends before.
    package func line(where fits: (String) -> Bool = { _ in true }) throws -> String {
        while true {
            while let feed = output[read...].firstIndex(of: 0x0a) {
                let line = String(decoding: output[read..<feed], as: UTF8.self)
                read = feed + 1
                if fits(line) { return line }
            }
            guard openStreams.contains(standardOutput) else { throw outputEnded }
            pump()
        }
    }

    /// Returns the next JSON object of the output for which `fits` is true.
    package func fact(where fits: (JSONObject) -> Bool = { _ in true }) throws -> JSONObject {
        var found: JSONObject?
        _ = try line { line in
            found = (try? JSON(parsing: Array(line.utf8)))?.object
            return found.map(fits) ?? false
        }
        return try unwrap(found)
    }

    /// Returns the first JSON object on standard error for which `fits` is true.
    ///
    /// - Throws: `OutputEnded` when standard error ends before.
    package func loggedFact(where fits: (JSONObject) -> Bool) throws -> JSONObject {
        while true {
            let facts = errors.split(separator: 0x0a).compactMap { (try? JSON(parsing: Array($0)))?.object }
            if let found = facts.first(where: fits) { return found }
            guard openStreams.contains(standardError) else { throw outputEnded }
            pump()
        }
    }

    /// Closes standard input and waits until the program ends.
    package func finish() throws -> Outcome {
        closesInput = true
        while !openStreams.isDisjoint(with: [standardOutput, standardError]) { pump() }
        var raw: Int32 = 0
        unsafe waitpid(number, &raw, 0)
        let code = raw & 0x7f == 0 ? raw >> 8 & 0xff : -(raw & 0x7f)
        status = code
        return Outcome(
            status: code, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    /// Waits until a node replies at the control socket of a home.
    package func waitForControl(of home: Home) throws { try waitForControl(at: "\(home.path)/control") }

    /// Waits until a node replies at the socket of this path.
    ///
    /// - Throws: `OutputEnded` when the program ends before.
    package func waitForControl(at path: String) throws {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        // The kernel reports the creation of a file there.
        let creations = inotify_init1(Int32(IN_CLOEXEC))
        defer { close(creations) }
        try #require(unsafe inotify_add_watch(creations, folder, UInt32(IN_CREATE)) >= 0)
        while true {
            if let probe = connectedSocket(to: path) {
                defer { close(probe) }
                return try awaitReply(at: probe)
            }
            guard openStreams.contains(standardOutput) else { throw outputEnded }
            // The file is created a moment before anybody can connect to it.
            pump(or: creations, atMost: exists(path) ? 5 : -1)
        }
    }

    /// Asks a node for its status, and waits until it has replied and ends the connection. It listens a moment before it can
    /// be interrupted, and replies after that.
    private func awaitReply(at connection: Int32) throws {
        let request = Array("{\"request\":{\"do\":\"status\"}}\n".utf8)
        try #require(unsafe Glibc.send(connection, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
        var state = pollfd(fd: connection, events: 0, revents: 0)
        while unsafe poll(&state, 1, 0) == 0 {
            guard openStreams.contains(standardOutput) else { throw outputEnded }
            pump(or: connection)
        }
    }

    private var outputEnded: OutputEnded {
        OutputEnded(
            arguments: arguments, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    /// Waits until a stream is ready, and reads or writes once; or until something else can be read, or this time has passed.
    private func pump(or other: Int32? = nil, atMost milliseconds: Int32 = -1) {
        if closesInput, pending.isEmpty, openStreams.remove(standardInput) != nil { close(standardInput) }
        var wanted = openStreams.filter { $0 != standardInput || !pending.isEmpty }.map {
            pollfd(fd: $0, events: Int16($0 == standardInput ? POLLOUT : POLLIN), revents: 0)
        }
        if let other { wanted.append(pollfd(fd: other, events: Int16(POLLIN), revents: 0)) }
        let count = nfds_t(wanted.count)
        guard unsafe poll(&wanted, count, milliseconds) > 0 else { return }
        for one in wanted where one.revents != 0 {
            if one.fd == standardInput {
                feed()
            } else if one.fd == other {
                var events = [UInt8](repeating: 0, count: 4096)
                unsafe Glibc.read(one.fd, &events, events.count)
            } else {
                drain(one.fd)
            }
        }
    }

    private func feed() {
        let count = unsafe pending.withUnsafeBytes {
            unsafe Glibc.send(standardInput, $0.baseAddress, min($0.count, 4096), Int32(MSG_NOSIGNAL))
        }
        if count > 0 {
            pending.removeFirst(count)
        } else if errno != EINTR, openStreams.remove(standardInput) != nil {
            pending = []
            close(standardInput)
        }
    }

    private func drain(_ descriptor: Int32) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            if descriptor == standardOutput { output += chunk[..<count] } else { errors += chunk[..<count] }
        } else if count == 0 || errno != EINTR {
            openStreams.remove(descriptor)
            close(descriptor)
        }
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        // Sockets can be created close-on-exec, so no child keeps the streams of another open.
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw MissingProgram(path: "a pipe", code: errno) }
        return (ends[0], ends[1])
    }
}

/// The program `inkling-kit`.
package enum Kit {
    /// Its path.
    package static let path = Program.kit

    /// Runs the program until it ends.
    package static func run(
        _ arguments: String..., input: Program.Input = .nothing, environment: [String: String] = [:]
    ) throws -> Program.Outcome { try run(arguments, input: input, environment: environment) }

    /// Runs the program until it ends.
    package static func run(
        _ arguments: [String], input: Program.Input = .nothing, environment: [String: String] = [:]
    ) throws -> Program.Outcome {
        try Program(arguments, input: input, environment: environment, program: path).finish()
    }
}

/// Returns a socket that is connected to the path of another; nil when nobody listens there.
package func connectedSocket(to path: String) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let code = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard code != 0 else { return descriptor }
    close(descriptor)
    return nil
}

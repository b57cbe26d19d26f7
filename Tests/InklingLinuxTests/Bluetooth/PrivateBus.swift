#if Node
    import Glibc
    import InklingTesting
    import Synchronization
    import Testing

    @testable import InklingLinux

    /// A message bus for one test: `dbus-daemon` on a socket in a new folder.
    final class PrivateBus: Sendable {
        /// Its address, for `Bus.open`.
        let address: String
        private let folder: String
        private let process: pid_t
        private let isStopped = Atomic(false)
        private let radios = Mutex<[LinuxBluetooth]>([])

        init() throws {
            var template = Array("/tmp/inkling-bus-XXXXXX".utf8CString)
            let made = unsafe try #require(mkdtemp(&template))
            folder = unsafe String(cString: made)
            address = "unix:path=\(folder)/socket"
            let settings = """
                <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
                 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
                <busconfig>
                  <type>inkling-test</type>
                  <listen>\(address)</listen>
                  <auth>EXTERNAL</auth>
                  <policy context="default">
                    <allow send_destination="*" eavesdrop="true"/>
                    <allow eavesdrop="true"/>
                    <allow own="*"/>
                  </policy>
                </busconfig>
                """
            let file = unsafe try #require(fopen("\(folder)/settings", "w"))
            unsafe fputs(settings, file)
            unsafe fclose(file)
            // The daemon writes its address into the other end when it accepts connections.
            var ends: [CInt] = [-1, -1]
            let isPair = unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
            try #require(isPair)
            defer { close(ends[0]) }
            var actions = unsafe posix_spawn_file_actions_t()
            unsafe posix_spawn_file_actions_init(&actions)
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 3)
            var process: pid_t = 0
            let words = ["dbus-daemon", "--nofork", "--print-address=3", "--config-file=\(folder)/settings"]
            var arguments = unsafe words.map { unsafe strdup($0) }
            unsafe arguments.append(nil)
            defer { unsafe arguments.forEach { unsafe free($0) } }
            let result = unsafe posix_spawnp(&process, "dbus-daemon", &actions, nil, &arguments, environ)
            close(ends[1])
            try #require(result == 0, "dbus-daemon must be installed: .ci/setup test")
            self.process = process
            var byte: UInt8 = 0
            let count = unsafe read(ends[0], &byte, 1)
            try #require(count == 1, "dbus-daemon did not start")
        }

        deinit { stop() }

        /// Keeps a radio for as long as this bus exists.
        func keep(_ radio: LinuxBluetooth) { radios.withLock { $0.append(radio) } }

        /// Ends the bus, and with it every connection.
        func stop() {
            guard !isStopped.exchange(true, ordering: .relaxed) else { return }
            // A thread of the test has most signals blocked, and its child inherits that.
            kill(process, SIGKILL)
            var status: CInt = 0
            unsafe waitpid(process, &status, 0)
            for name in ["socket", "settings"] { unsafe unlink("\(folder)/\(name)") }
            unsafe rmdir(folder)
        }

        /// Returns a new connection.
        func open() async throws -> Bus { try await Self.open(address) }

        /// Ends a connection, and returns when the bus knows that it has gone.
        func end(_ bus: Bus) async throws {
            await bus.close()
            let observer = try await open()
            try await eventually {
                try await observer.call(
                    BusInterface.bus, BusInterface.busPath, BusInterface.bus, "NameHasOwner",
                    [.string(bus.uniqueName)], expecting: "b") == [.bool(false)]
            }
        }

        /// Returns a new connection to the bus with this address.
        static func open(_ address: String) async throws -> Bus { try await Bus.open(address, limit: patience) }

        /// No limit on the wait for replies: the speed of a machine decides nothing.
        static let patience: Bus.Limit = { _, _ in nil }

        /// As `patience`, but for calls of this method, which the test leaves without a reply.
        static func patience(except unanswered: String) -> Bus.Limit {
            { member, _ in member == unanswered ? .milliseconds(50) : nil }
        }
    }
#endif

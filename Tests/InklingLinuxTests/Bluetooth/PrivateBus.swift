#if Node
    import Glibc
    import Testing

    @testable import InklingLinux

    /// A message bus of its own for one test: `dbus-daemon` on a socket in a new folder.
    final class PrivateBus: Sendable {
        /// Its address, for `Bus.open`.
        let address: String
        private let folder: String
        private let process: pid_t

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
            var process: pid_t = 0
            let words = ["dbus-daemon", "--nofork", "--config-file=\(folder)/settings"]
            var arguments = unsafe words.map { unsafe strdup($0) }
            unsafe arguments.append(nil)
            defer { unsafe arguments.forEach { unsafe free($0) } }
            let result = unsafe posix_spawnp(&process, "dbus-daemon", nil, nil, &arguments, environ)
            try #require(result == 0, "dbus-daemon must be installed: .ci/setup test")
            self.process = process
            let end = ContinuousClock.now + .seconds(20)
            while !Self.accepts(at: "\(folder)/socket") {
                try #require(ContinuousClock.now < end, "dbus-daemon did not start")
                usleep(2_000)
            }
        }

        deinit { stop() }

        /// Ends the bus, and with it every connection.
        func stop() {
            // A thread of the test has most signals blocked, and its child inherits that.
            kill(process, SIGKILL)
            var status: CInt = 0
            unsafe waitpid(process, &status, 0)
            for name in ["socket", "settings"] { unsafe unlink("\(folder)/\(name)") }
            unsafe rmdir(folder)
        }

        private static func accepts(at path: String) -> Bool {
            let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            return unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
        }

        /// Returns a new connection.
        func open() async throws -> Bus { try await Bus.open(address) }
    }

    /// Waits until a condition holds, for at most 20 seconds.
    func eventually(
        _ what: Comment? = nil, at place: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while try await !condition() {
            try #require(ContinuousClock.now < end, what, sourceLocation: place)
            try await Task.sleep(for: .milliseconds(2))
        }
    }
#endif

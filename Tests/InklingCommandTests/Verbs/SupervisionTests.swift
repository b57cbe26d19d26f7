import InklingProgramTesting
import InklingTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if Node
    /// A stand-in for systemd: a socket at which a service reports.
    private final class Supervisor {
        let path: String
        private let socket: Int32

        init(in folder: Folder) throws {
            path = "\(folder.path)/notify"
            socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            let status = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(status == 0)
        }

        deinit { close(socket) }

        /// Waits for the next report.
        func next() throws -> [String] {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(socket, &bytes, bytes.count, 0)
            try #require(count > 0)
            return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// Waits for a report with this line, and returns it.
        func awaitLine(_ line: String) throws -> [String] {
            while true {
                let report = try next()
                if report.contains(line) { return report }
            }
        }
    }

    @Suite(.runsPrograms) struct `A node as a service` {
        @Test func `says when it is ready, what it does, that it is alive, and that it stops`() throws {
            let folder = try Folder()
            let (ada, _) = try acquaintances(in: folder)
            let supervisor = try Supervisor(in: folder)
            let run = try ada.start(
                "run", "--bluetooth", "off",
                environment: ["NOTIFY_SOCKET": supervisor.path, "WATCHDOG_USEC": "400000"])
            let ready = try supervisor.awaitLine("READY=1")
            let status = try #require(ready.first { $0.hasPrefix("STATUS=") })
            #expect(status.contains("of 1 contacts present"))
            for _ in 0..<3 { _ = try supervisor.awaitLine("WATCHDOG=1") }
            run.interrupt()
            _ = try supervisor.awaitLine("STOPPING=1")
            #expect(try run.finish().status == 0)
        }
    }
#endif

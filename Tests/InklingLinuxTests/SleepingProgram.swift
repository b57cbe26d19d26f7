import Foundation
import Glibc
import Testing

/// A program that does nothing until it is ended, and has every descriptor of this process that programs inherit.
struct SleepingProgram {
    private let process: pid_t

    init() throws {
        var process: pid_t = 0
        var words = unsafe [strdup("sleep"), strdup("infinity"), nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        try #require(unsafe posix_spawnp(&process, "sleep", nil, nil, &words, environ) == 0)
        self.process = process
    }

    func kill() {
        Glibc.kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// The TCP ports, at this end and at the other, of the sockets that the program has.
    func ports() throws -> Set<UInt16> {
        let folder = "/proc/\(process)/fd"
        let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        try #require(!targets.isEmpty)
        var ports: Set<UInt16> = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] where FileManager.default.fileExists(atPath: table) {
            // Number, local address, remote address, and further on the number of the socket.
            for line in try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ")
                guard fields.count > 9, targets.contains("socket:[\(fields[9])]") else { continue }
                ports.formUnion(
                    fields[1...2].compactMap { $0.split(separator: ":").last.flatMap { UInt16($0, radix: 16) } })
            }
        }
        return ports
    }
}

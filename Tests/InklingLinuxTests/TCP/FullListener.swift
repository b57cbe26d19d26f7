import Glibc

/// A listening socket on the loopback interface whose queue is full: the kernel drops every further request for a
/// connection, as a host does that cannot be reached.
final class FullListener: Sendable {
    let port: UInt16
    private let descriptor: CInt
    private let waiting: PlainSocket

    init?() {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // A queue of length 0 holds one connection.
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length) == 0 && listen(descriptor, 0) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        guard isListening, let waiting = PlainSocket(port: port) else {
            close(descriptor)
            return nil
        }
        self.port = port
        self.descriptor = descriptor
        self.waiting = waiting
    }

    deinit { close(descriptor) }

    /// The sockets of this machine that have sent a request for a connection to this port and wait for the answer.
    var pendingRequests: Int { Self.pendingRequests(to: port) }

    static func pendingRequests(to port: UInt16) -> Int {
        guard let file = unsafe fopen("/proc/net/tcp", "r") else { return -1 }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        var count = 0
        while unsafe fgets(&line, 512, file) != nil {
            // Number, local address, remote address, state: 02 is SYN_SENT.
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let fields = text.split(separator: " ")
            guard fields.count > 3, fields[3] == "02",
                let colon = fields[2].lastIndex(of: ":"), UInt16(fields[2][colon...].dropFirst(), radix: 16) == port
            else { continue }
            count += 1
        }
        return count
    }
}

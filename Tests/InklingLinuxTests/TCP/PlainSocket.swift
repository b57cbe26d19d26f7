import Glibc

/// A blocking IPv4 socket on the loopback interface, which acts as a stranger.
final class PlainSocket: Sendable {
    enum Ending: Hashable {
        case finished
        case reset
        case bytes(Int)
    }

    private let descriptor: CInt

    /// Connects to `port`, from `127.0.0.<last>`.
    init?(port: UInt16, from last: UInt8 = 1) {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, unsafe call(bind, last: last, port: 0), unsafe call(connect, last: 1, port: port) else {
            return nil
        }
    }

    deinit { close() }

    func send(_ bytes: [UInt8]) -> Int {
        unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    func finish() { shutdown(descriptor, CInt(SHUT_WR)) }

    func close() { Glibc.close(descriptor) }

    /// Returns what arrives next, or the end, however long that takes.
    func next() async -> Ending { await onOwnThread { self.receive() } }

    private func receive() -> Ending {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? .bytes(count) : count == 0 ? .finished : .reset
    }

    private func call(
        _ function: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt, last: UInt8, port: UInt16
    ) -> Bool {
        // struct sockaddr_in: family, port, address, padding.
        var raw = [UInt8](repeating: 0, count: 16)
        raw[0] = UInt8(AF_INET)
        raw[2] = UInt8(port >> 8)
        raw[3] = UInt8(port & 255)
        raw[4] = 127
        raw[7] = last
        return unsafe raw.withUnsafeBytes { raw in
            unsafe function(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), 16) == 0
        }
    }
}

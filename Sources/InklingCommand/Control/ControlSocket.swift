import InklingKeys

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The Unix socket in a node's home at which a running node accepts requests.
enum ControlSocket {
    /// The path of the socket in a home.
    static func path(in home: String) -> String { "\(home)/control" }

    /// The longest path of a Unix socket in bytes: `sun_path` has 108, with the zero at the end.
    static let pathLimit = 107

    /// Connects to the node that runs in a home; returns nil when no node runs there.
    ///
    /// - Throws: `Failure` when this user may not enter the home or use the socket.
    static func connect(home: String) throws(Failure) -> ControlConnection? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(path(in: home).utf8)
        guard path.count <= pathLimit else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
            for (index, byte) in path.enumerated() { unsafe target[index] = byte }
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            guard code != EACCES, code != EPERM else {
                throw Failure(
                    .noPermission, "cannot reach the node in \(home): \(systemMessage(code))",
                    remedy: "Run this as the user who owns the home.")
            }
            return nil
        }
        return ControlConnection(descriptor: descriptor)
    }
}

/// A connection of a command to a running node. Its calls block, because a command does one thing at a time.
final class ControlConnection {
    private let descriptor: Int32
    private var lines = WipedLines()

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends one message; returns false when the node has ended.
    func send(_ message: ControlMessage) -> Bool {
        message.bytes.withBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes.extracting(sent...).withPointer { rest in
                    unsafe Glibc.send(descriptor, rest, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                if count > 0 { sent += count } else if errno != EINTR { return false }
            }
            return true
        }
    }

    /// Waits for the next message, and for the invitation that belongs to it; returns nil when the node has ended or has
    /// sent anything else.
    func receive() -> ControlMessage? {
        guard let line = nextLine(), let message = ControlMessage(line: line) else { return nil }
        guard case .fact(.invitation(let fact, nil)) = message else { return message }
        guard let text = nextLine() else { return nil }
        return .fact(.invitation(fact, text: SecretBox(text)))
    }

    private func nextLine() -> SecretBytes? {
        while true {
            if let line = lines.next() { return line }
            guard lines.byteCount <= ControlMessage.lineLimit else { return nil }
            let count = lines.read(from: descriptor)
            if count == 0 || count < 0 && errno != EINTR { return nil }
        }
    }
}

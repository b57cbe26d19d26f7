import InklingKeys
package import InklingTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The Unix socket on which a running node accepts requests.
package enum ControlSocket {
    /// The maximum length of a Unix socket's path in bytes: `sun_path` has 108, with the terminating zero.
    package static let pathLimit = 107

    /// Connects to the node that runs in a home; returns nil if none does.
    ///
    /// - Throws: `Failure` when this user may not use the socket.
    package static func connect(to place: ControlPlace) throws(Failure) -> ControlConnection? {
        let path = place.path
        guard path.utf8.count <= pathLimit else { return nil }
        let descriptor = open()
        guard descriptor >= 0 else { return nil }
        let status = unsafe withAddress(path) { unsafe Glibc.connect(descriptor, $0, $1) }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            guard code != EACCES, code != EPERM else {
                throw Failure(
                    .noPermission, "cannot reach the node in \(place.home): \(systemMessage(code))",
                    remedy: .sentence("Run this \(place.users)."))
            }
            return nil
        }
        return ControlConnection(descriptor: descriptor)
    }

    /// Returns a socket that listens at a place, for the owner of the home and the place's group. It replaces the
    /// socket of an earlier run, which has ended: this process holds the lock of the vault.
    ///
    /// - Throws: `Failure` when the path is too long for a socket or cannot be bound, or when the socket cannot be
    ///   given to the group.
    package static func listen(at place: ControlPlace) throws(Failure) -> Int32 {
        let path = place.path
        guard path.utf8.count <= pathLimit else {
            throw Failure(
                .configuration, "the path \(path) is longer than a Unix socket allows",
                remedy: "Use a home directory with a shorter path.")
        }
        let group = try place.group.map { name throws(Failure) in try number(ofGroup: name) }
        var earlier = stat()
        if unsafe lstat(path, &earlier) == 0, earlier.st_mode & S_IFMT == S_IFSOCK { unsafe unlink(path) }
        let descriptor = open()
        // Linux gives the file the mode of the socket; a umask would affect every thread.
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0,
            unsafe withAddress(path, { unsafe Glibc.bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, backlog) == 0
        else {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            throw Failure(.unavailable, "cannot listen at \(path): \(systemMessage(code))")
        }
        // Until it has its group, only the owner can use it.
        if let group, let name = place.group, !admit(group, to: path) {
            let code = errno
            close(descriptor)
            unsafe unlink(path)
            throw Failure(
                .noPermission, "\(path): cannot give it to the group \(printable(name)): \(systemMessage(code))",
                remedy: "Run the node as a member of the group.")
        }
        return descriptor
    }

    /// Lets the members of a group use the socket at a path; returns false, with the error in `errno`, if the system
    /// forbids it.
    private static func admit(_ group: gid_t, to path: String) -> Bool {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else { return false }
        // A service that already has the group may be forbidden to change owners.
        if facts.st_gid != group, unsafe lchown(path, uid_t.max, group) != 0 { return false }
        return unsafe chmod(path, 0o660) == 0
    }

    /// Returns the id of a group.
    ///
    /// - Throws: `Failure` when there is no group of this name.
    private static func number(ofGroup name: String) throws(Failure) -> gid_t {
        var entry = unsafe group()
        var found: UnsafeMutablePointer<group>?
        var buffer = [CChar](repeating: 0, count: 65_536)
        let code = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        guard code == 0, unsafe found != nil else {
            let why = code == 0 ? "" : ": \(systemMessage(code))"
            throw Failure(
                .configuration, "there is no group '\(printable(name))'\(why)",
                remedy: "Change node.control-group in the configuration, or create the group.")
        }
        return unsafe entry.gr_gid
    }

    /// The maximum number of connections that wait for the node to accept them.
    private static let backlog: Int32 = 64

    private static func open() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// Calls `body` with the address of a path of at most `pathLimit` bytes, and returns its status.
    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
            for (index, byte) in path.utf8.enumerated() { unsafe target[index] = byte }
        }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A connection of a command to a running node. Its calls block, because a command does one thing at a time.
package final class ControlConnection {
    private let descriptor: Int32
    private var lines = WipedLines()

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends one message; returns false when the node has ended.
    package func send(_ message: ControlMessage) -> Bool {
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

    /// Waits for the next message, and for its secret if it is a fact of a kind that one follows; returns nil when the
    /// node has ended or sent something else.
    func receive(_ isFollowedBySecret: (_ kind: String) -> Bool) -> ControlMessage? {
        guard let line = nextLine(), let message = ControlMessage(line: line) else { return nil }
        guard case .fact(var fact) = message, isFollowedBySecret(fact.kind) else { return message }
        guard let secret = nextLine() else { return nil }
        fact.secret = SecretBox(secret)
        return .fact(fact)
    }

    /// Sends a request, and passes on facts and questions until it is done.
    ///
    /// - Throws: the `Failure` that the node reports, or one when the connection ends.
    package func carryOut<Fact: Reported>(
        _ request: some ControlRequest, question: (IntroductionFact) -> Bool = { _ in false }, fact: (Fact) -> Void
    ) throws(Failure) {
        var isAlive = send(.request(request.json, secret: request.secret))
        while isAlive, let message = receive(Fact.isFollowedBySecret) {
            switch message {
            case .fact(let line):
                guard let known = try? Fact(line) else {
                    isAlive = false
                    break
                }
                fact(known)
            case .question(let one): isAlive = send(.answer(question(one)))
            case .done: return
            case .failed(let failure): throw failure
            case .request, .text, .answer: isAlive = false
            }
        }
        throw Failure(
            .unavailable, "the node has stopped, or runs a different version",
            remedy: .command("Check it with", "status"))
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

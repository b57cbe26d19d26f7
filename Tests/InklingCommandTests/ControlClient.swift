#if Node
    import InklingAccess
    import InklingJSON
    import InklingProgramTesting
    import InklingTesting
    import Testing

    @testable import InklingCommand

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A connection to a control socket that can send any bytes.
    final class ControlClient {
        private let descriptor: Int32

        init(_ home: String) throws {
            descriptor = try #require(connectedSocket(to: "\(home)/control"))
        }

        deinit { close(descriptor) }

        func write(_ bytes: some Sequence<UInt8>) {
            let bytes = Array(bytes)
            _ = unsafe bytes.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }

        /// Asks for the predictions of 192 epochs, the longest answer that a client can ask for.
        func askForPredictions(from epoch: UInt64) {
            write(#"{"request":{"do":"predictions","from":\#(epoch),"to":\#(epoch + 191)}}\#n"#.utf8)
        }

        /// Whether the node has closed the connection. Reads nothing.
        var isClosed: Bool {
            var state = pollfd(fd: descriptor, events: 0, revents: 0)
            return unsafe poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP) != 0
        }

        /// The number of bytes that have arrived and were not read.
        var unread: Int32 {
            var count: Int32 = 0
            _ = unsafe ioctl(descriptor, UInt(FIONREAD), &count)
            return count
        }

        /// Returns everything that arrives until the node closes the connection.
        func rest() -> String {
            var received: [UInt8] = []
            while let more = read() { received += more }
            return String(decoding: received, as: UTF8.self)
        }

        /// Waits for the reply: `closed`, `failed` with the status, or the line itself.
        func answer() -> String {
            var received: [UInt8] = []
            while !received.contains(0x0a) {
                guard let more = read() else { return received.isEmpty ? "closed" : "a line that is cut off" }
                received += more
            }
            let line = Array(received.prefix { $0 != 0x0a })
            let failure = (try? JSON(parsing: line))?.object?["failed"]?.object
            return failure?["status"]?.integer.map { "failed \($0)" } ?? String(decoding: line, as: UTF8.self)
        }

        /// Waits for bytes; returns nil at the end.
        private func read() -> [UInt8]? {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            return count > 0 ? Array(chunk[..<count]) : nil
        }
    }

    /// Asks the node that runs in a home, without starting a program.
    func ask<Request: NodeRequest>(_ request: Request, of home: String) throws -> [Request.Fact] {
        let connection = try #require(try ControlSocket.connect(to: ControlPlace(home: home)))
        var facts: [Request.Fact] = []
        try connection.carryOut(request) { facts.append($0) }
        return facts
    }
#endif
